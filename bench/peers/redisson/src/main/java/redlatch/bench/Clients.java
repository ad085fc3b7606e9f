package redlatch.bench;

import java.util.Map;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;
import org.redisson.config.SingleServerConfig;

/** Clients with Redisson's defaults, or tuned for a small machine. */
final class Clients {
    private final String address;
    private final Map<String, String> options;

    Clients(String address, Map<String, String> options) {
        this.address = address;
        this.options = options;
    }

    RedissonClient make() {
        Config config = new Config();
        SingleServerConfig server = config.useSingleServer().setAddress("redis://" + address);
        if (options.containsKey("watchdog")) {
            config.setLockWatchdogTimeout(Long.parseLong(options.get("watchdog")));
        }
        if (options.containsKey("tuned")) {
            // Fewer threads and connections: less switching, more commands in one write.
            config.setThreads(2).setNettyThreads(2).setCodec(StringCodec.INSTANCE);
            server.setConnectionMinimumIdleSize(8).setConnectionPoolSize(8);
        }
        return Redisson.create(config);
    }
}
