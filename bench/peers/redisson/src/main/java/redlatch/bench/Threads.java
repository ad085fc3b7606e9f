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

    /** The scenario's word says which kind of lock: "own.fenced"; without one it is the re-entrant lock. */
    Threads(RedissonClient client, int workers, IntFunction<String> names, String scenario) {
        this.client = client;
        for (int number = 0; number < workers; ++number) {
            locks.add(lock(names.apply(number), scenario.substring(scenario.indexOf('.') + 1)));
        }
    }

    private RLock lock(String name, String kind) {
        return switch (kind) {
            case "fenced" -> client.getFencedLock(name);
            case "spin" -> client.getSpinLock(name);
            case "non_reentrant" -> client.getNonReentrantLock(name);
            case "fair" -> client.getFairLock(name);
            case "read" -> client.getReadWriteLock(name).readLock();
            case "write" -> client.getReadWriteLock(name).writeLock();
            default -> client.getLock(name);
        };
    }

    @Override
    public Round round(Window window) throws InterruptedException {
        List<Samples> samples = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (RLock lock : locks) {
            Samples mine = new Samples();
            samples.add(mine);
            threads.add(new Thread(() -> work(lock, mine, window)));
        }
        threads.forEach(Thread::start);
        window.open();
        for (Thread each : threads) {
            each.join();
        }
        return window.close(samples);
    }

    private static void work(RLock lock, Samples samples, Window window) {
        for (long now = System.nanoTime(); !window.isOver(now); now = System.nanoTime()) {
            lock.lock();
            long waited = System.nanoTime() - now;
            lock.unlock();
            if (window.counts(now)) {
                samples.acquired(waited);
                samples.cycle();
            }
        }
    }

    @Override
    public void close() {
        client.shutdown();
    }
}
