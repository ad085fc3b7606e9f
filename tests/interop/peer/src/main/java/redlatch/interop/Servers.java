package redlatch.interop;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import org.redisson.config.BaseConfig;
import org.redisson.config.ClusterServersConfig;
import org.redisson.config.Config;
import org.redisson.config.ReadMode;
import org.redisson.config.SentinelServersConfig;

/**
 * Addresses as redlatch writes them, for Redisson: one server, a cluster, a master that Sentinels watch, a list of servers; or
 * a file.
 */
final class Servers {
    private static final String CLUSTER = "redis-cluster://";
    private static final String SENTINEL = "redis-sentinel://";
    private static final String FILE = "file:";

    private Servers() {}

    /** {@code file:PATH}: what this file of Redisson's says. */
    static Config at(String address) {
        if (address.startsWith(FILE)) {
            try {
                return Config.fromYAML(new File(address.substring(FILE.length())));
            } catch (IOException problem) {
                throw new UncheckedIOException(problem);
            }
        }
        Config config = new Config();
        use(config, address);
        return config;
    }

    /** The settings that all arrangements have, for more of them. */
    static BaseConfig<?> use(Config config, String address) {
        if (address.startsWith(CLUSTER)) {
            return useCluster(config, address.substring(CLUSTER.length()).split(","));
        }
        if (address.startsWith(SENTINEL)) {
            return useSentinels(config, address.substring(SENTINEL.length()).split("#"));
        }
        return config.useSingleServer().setAddress(address).setConnectionMinimumIdleSize(2).setConnectionPoolSize(16);
    }

    /** Whichever of these is the master ("replicated"), or the first one, with the others as its replicas ("master_slave"). */
    static BaseConfig<?> use(Config config, String mode, String[] addresses) {
        switch (mode) {
            case "replicated":
                return config.useReplicatedServers().setScanInterval(1000).addNodeAddress(addresses)
                        .setMasterConnectionMinimumIdleSize(2).setMasterConnectionPoolSize(16);
            case "master_slave":
                return config.useMasterSlaveServers().setMasterAddress(addresses[0])
                        .addSlaveAddress(Arrays.copyOfRange(addresses, 1, addresses.length))
                        .setMasterConnectionMinimumIdleSize(2).setMasterConnectionPoolSize(16);
            default:
                throw new IllegalArgumentException("unknown mode " + mode);
        }
    }

    private static ClusterServersConfig useCluster(Config config, String[] nodes) {
        ClusterServersConfig cluster = config.useClusterServers().setScanInterval(1000)
                .setMasterConnectionMinimumIdleSize(2).setMasterConnectionPoolSize(16);
        for (String node : nodes) {
            cluster.addNodeAddress("redis://" + node);
        }
        return cluster;
    }

    /** Addresses with commas between, and the name of the master. */
    private static SentinelServersConfig useSentinels(Config config, String[] where) {
        SentinelServersConfig sentinels = config.useSentinelServers().setMasterName(where[1]).setScanInterval(1000)
                .setReadMode(ReadMode.MASTER)
                .setMasterConnectionMinimumIdleSize(2).setMasterConnectionPoolSize(16);
        for (String sentinel : where[0].split(",")) {
            sentinels.addSentinelAddress("redis://" + sentinel);
        }
        return sentinels;
    }
}
