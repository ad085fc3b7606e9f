package redlatch.bench;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;
import org.redisson.config.SingleServerConfig;

/** Clients with Redisson's defaults, or tuned for a small machine. */
final class Clients {
    private final String address;
    private final Map<String, String> options;
    private EventLoopGroup loops;
    private ExecutorService executor;

    Clients(String address, Map<String, String> options) {
        this.address = address;
        this.options = options;
    }

    RedissonClient make() {
        return Redisson.create(config(address));
    }

    /** One for each of several servers. */
    List<RedissonClient> onEach(String... servers) {
        List<RedissonClient> result = new ArrayList<>();
        for (String server : servers) {
            result.add(Redisson.create(config(server)));
        }
        return result;
    }

    /** Several in one JVM share threads and keep few connections: hundreds with the defaults do not fit on a machine. */
    List<RedissonClient> make(int count) {
        if (count == 1) {
            return List.of(make());
        }
        if (loops == null) {
            loops = new NioEventLoopGroup(2);
            executor = Executors.newFixedThreadPool(4);
        }
        List<RedissonClient> result = new ArrayList<>();
        for (int number = 0; number < count; ++number) {
            Config config = config(address).setEventLoopGroup(loops).setExecutor(executor);
            config.useSingleServer().setConnectionMinimumIdleSize(1).setConnectionPoolSize(4)
                .setSubscriptionConnectionMinimumIdleSize(1).setSubscriptionConnectionPoolSize(2);
            result.add(Redisson.create(config));
        }
        return result;
    }

    private Config config(String server) {
        Config config = new Config();
        SingleServerConfig single = config.useSingleServer().setAddress("redis://" + server);
        if (options.containsKey("watchdog")) {
            config.setLockWatchdogTimeout(Long.parseLong(options.get("watchdog")));
        }
        if (options.containsKey("tuned")) {
            // Fewer threads and connections: less switching, more commands in one write.
            config.setThreads(2).setNettyThreads(2).setCodec(StringCodec.INSTANCE);
            single.setConnectionMinimumIdleSize(8).setConnectionPoolSize(8);
        }
        return config;
    }
}
