package redlatch.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

/** Cycles without threads: the end of one step starts the next. */
final class InFlight implements Scenario {
    private final RedissonClient client;
    private final List<RLock> locks = new ArrayList<>();

    InFlight(RedissonClient client, int count, String name) {
        this.client = client;
        for (int number = 0; number < count; ++number) {
            locks.add(client.getLock(name + ":" + number));
        }
    }

    @Override
    public Round round(Window window) throws InterruptedException {
        List<Samples> samples = new ArrayList<>();
        CountDownLatch ended = new CountDownLatch(locks.size());
        AtomicReference<Throwable> problem = new AtomicReference<>();
        for (int number = 0; number < locks.size(); ++number) {
            Samples mine = new Samples();
            samples.add(mine);
            next(number, mine, window, ended, problem);
        }
        window.open();
        ended.await();
        if (problem.get() != null) {
            throw new IllegalStateException(problem.get());
        }
        return window.close(samples);
    }

    /** The owner is a number: threads have no part in it. */
    private void next(int number, Samples samples, Window window, CountDownLatch ended,
        AtomicReference<Throwable> problem) {
        RLock lock = locks.get(number);
        long asked = System.nanoTime();
        if (window.isOver(asked)) {
            ended.countDown();
            return;
        }
        lock.lockAsync(number).thenCompose(nothing -> {
            if (window.counts(asked)) {
                samples.acquired(System.nanoTime() - asked);
            }
            return lock.unlockAsync(number);
        }).whenComplete((nothing, failure) -> {
            if (failure != null) {
                problem.set(failure);
                ended.countDown();
                return;
            }
            if (window.counts(asked)) {
                samples.cycle();
            } else {
                samples.settled();
            }
            next(number, samples, window, ended, problem);
        });
    }

    @Override
    public void close() {
        client.shutdown();
    }
}
