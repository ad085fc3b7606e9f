package redlatch.bench;

import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import org.redisson.api.RedissonClient;

/** Locks that are taken once and renewed from then on. */
final class Hold implements Scenario {
    private static final int AT_A_TIME = 128;

    private final RedissonClient client;
    private final int count;
    private final String name;

    Hold(RedissonClient client, int count, String name) {
        this.client = client;
        this.count = count;
        this.name = name;
    }

    @Override
    public boolean needsWarmth() {
        return false;
    }

    @Override
    public Round round(Window window) throws InterruptedException {
        window.open();
        Samples samples = new Samples();
        Semaphore free = new Semaphore(AT_A_TIME);
        AtomicReference<Throwable> problem = new AtomicReference<>();
        for (int number = 0; number < count; ++number) {
            free.acquire();
            client.getLock(name + ":" + number).lockAsync(1).whenComplete((nothing, failure) -> {
                if (failure != null) {
                    problem.set(failure);
                }
                free.release();
            });
            samples.cycle();
        }
        free.acquire(AT_A_TIME);
        if (problem.get() != null) {
            throw new IllegalStateException(problem.get());
        }
        System.gc(); // memory is looked at next
        return window.close(List.of(samples));
    }
}
