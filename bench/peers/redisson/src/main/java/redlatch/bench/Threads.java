package redlatch.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.redisson.RedissonRedLock;
import org.redisson.api.RCountDownLatch;
import org.redisson.api.RLock;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RSemaphore;
import org.redisson.api.RedissonClient;

/** A thread each, on something of its own or on one for all. */
final class Threads implements Scenario {
    /** What each cycle takes and gives back. */
    record Section(Runnable enter, Runnable leave) {
    }

    private final List<RedissonClient> clients;
    private final List<Section> sections = new ArrayList<>();

    private Threads(RedissonClient client) {
        this(List.of(client));
    }

    private Threads(List<RedissonClient> clients) {
        this.clients = clients;
    }

    /** The scenario's word says which kind of lock: "own.fenced"; without one it is the re-entrant lock. */
    static Threads onLocks(RedissonClient client, int workers, IntFunction<String> names, String scenario) {
        Threads made = new Threads(client);
        for (int number = 0; number < workers; ++number) {
            RLock lock = lock(client, names.apply(number), scenario.substring(scenario.indexOf('.') + 1));
            made.sections.add(new Section(lock::lock, lock::unlock));
        }
        return made;
    }

    static Threads onSemaphores(RedissonClient client, int workers, IntFunction<String> names, int permits) {
        Threads made = new Threads(client);
        for (int number = 0; number < workers; ++number) {
            RSemaphore semaphore = client.getSemaphore(names.apply(number));
            semaphore.trySetPermits(permits);
            made.sections.add(new Section(() -> take(semaphore), semaphore::release));
        }
        return made;
    }

    static Threads onPermits(RedissonClient client, int workers, IntFunction<String> names, int permits) {
        Threads made = new Threads(client);
        for (int number = 0; number < workers; ++number) {
            RPermitExpirableSemaphore semaphore = client.getPermitExpirableSemaphore(names.apply(number));
            semaphore.trySetPermits(permits);
            String[] taken = new String[1];
            made.sections.add(new Section(() -> taken[0] = take(semaphore), () -> semaphore.release(taken[0])));
        }
        return made;
    }

    static Threads onMultiLocks(RedissonClient client, int workers, IntFunction<String> names) {
        Threads made = new Threads(client);
        for (int number = 0; number < workers; ++number) {
            String name = names.apply(number);
            RLock all = client.getMultiLock(client.getLock(name + ":a"), client.getLock(name + ":b"),
                client.getLock(name + ":c"));
            made.sections.add(new Section(all::lock, all::unlock));
        }
        return made;
    }

    static Threads onRedLocks(List<RedissonClient> clients, int workers, IntFunction<String> names) {
        Threads made = new Threads(clients);
        for (int number = 0; number < workers; ++number) {
            String name = names.apply(number);
            RLock all = new RedissonRedLock(clients.stream().map(client -> client.getLock(name)).toArray(RLock[]::new));
            made.sections.add(new Section(all::lock, all::unlock));
        }
        return made;
    }

    static Threads onLatches(RedissonClient client, int workers, IntFunction<String> names) {
        Threads made = new Threads(client);
        for (int number = 0; number < workers; ++number) {
            RCountDownLatch latch = client.getCountDownLatch(names.apply(number));
            made.sections.add(new Section(() -> latch.trySetCount(1), latch::countDown));
        }
        return made;
    }

    private static String take(RPermitExpirableSemaphore semaphore) {
        try {
            return semaphore.acquire();
        } catch (InterruptedException end) {
            throw new IllegalStateException(end);
        }
    }

    private static void take(RSemaphore semaphore) {
        try {
            semaphore.acquire();
        } catch (InterruptedException end) {
            throw new IllegalStateException(end);
        }
    }

    private static RLock lock(RedissonClient client, String name, String kind) {
        return switch (kind) {
            case "fenced" -> client.getFencedLock(name);
            case "spin" -> client.getSpinLock(name);
            case "non_reentrant" -> client.getNonReentrantLock(name);
            case "fair" -> client.getFairLock(name);
            case "non_reentrant_fair" -> client.getNonReentrantFairLock(name);
            case "faster_multi" -> client.getMultiLock(name, List.<Object>of("value"));
            case "read" -> client.getReadWriteLock(name).readLock();
            case "write" -> client.getReadWriteLock(name).writeLock();
            default -> client.getLock(name);
        };
    }

    @Override
    public Round round(Window window) throws InterruptedException {
        List<Samples> samples = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (Section section : sections) {
            Samples mine = new Samples();
            samples.add(mine);
            threads.add(new Thread(() -> work(section, mine, window)));
        }
        threads.forEach(Thread::start);
        window.open();
        for (Thread each : threads) {
            each.join();
        }
        return window.close(samples);
    }

    private static void work(Section section, Samples samples, Window window) {
        for (long now = System.nanoTime(); !window.isOver(now); now = System.nanoTime()) {
            section.enter().run();
            long waited = System.nanoTime() - now;
            section.leave().run();
            if (window.counts(now)) {
                samples.acquired(waited);
                samples.cycle();
            } else {
                samples.settled();
            }
        }
    }

    @Override
    public void close() {
        clients.forEach(RedissonClient::shutdown);
    }
}
