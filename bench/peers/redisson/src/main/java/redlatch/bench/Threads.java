package redlatch.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

/** A thread each, on locks of their own or on one. */
final class Threads implements Scenario {
    private final RedissonClient client;
    private final List<RLock> locks = new ArrayList<>();

    Threads(RedissonClient client, int workers, IntFunction<String> names) {
        this.client = client;
        for (int number = 0; number < workers; ++number) {
            locks.add(client.getLock(names.apply(number)));
        }
    }

    @Override
    public Round round(long milliseconds) throws InterruptedException {
        long began = System.nanoTime();
        long cpuBefore = Round.cpuNow();
        long until = began + milliseconds * 1_000_000;
        List<Samples> samples = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (RLock lock : locks) {
            Samples mine = new Samples();
            samples.add(mine);
            threads.add(new Thread(() -> work(lock, mine, until)));
        }
        threads.forEach(Thread::start);
        for (Thread each : threads) {
            each.join();
        }
        return Round.of(began, cpuBefore, samples);
    }

    private static void work(RLock lock, Samples samples, long until) {
        for (long now = System.nanoTime(); now < until; now = System.nanoTime()) {
            lock.lock();
            samples.acquired(System.nanoTime() - now);
            lock.unlock();
            samples.cycle();
        }
    }

    @Override
    public void close() {
        client.shutdown();
    }
}
