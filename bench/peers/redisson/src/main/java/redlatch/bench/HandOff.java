package redlatch.bench;

import java.util.List;
import java.util.concurrent.SynchronousQueue;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

/** From one client to another one that waits. */
final class HandOff implements Scenario {
    private final RedissonClient first;
    private final RedissonClient second;
    private final String name;

    HandOff(Clients clients, String name) {
        first = clients.make();
        second = clients.make();
        this.name = name;
    }

    @Override
    public Round round(Window window) throws InterruptedException {
        Samples samples = new Samples();
        RLock mine = first.getLock(name);
        SynchronousQueue<Boolean> held = new SynchronousQueue<>();
        SynchronousQueue<Long> acquired = new SynchronousQueue<>();
        Thread waiter = new Thread(() -> wait(second.getLock(name), held, acquired));
        waiter.start();
        boolean counts = false;
        while (!window.isOver(System.nanoTime()) || samples.cycles() < 3) {
            if (!counts && window.counts(System.nanoTime())) {
                window.open();
                counts = true;
            }
            mine.lock();
            held.put(true);
            Thread.sleep(2); // long enough for the other to have subscribed
            long released = System.nanoTime();
            mine.unlock();
            long taken = acquired.take() - released;
            if (counts) {
                samples.acquired(taken);
                samples.cycle();
            } else {
                samples.settled();
            }
        }
        held.put(false);
        waiter.join();
        return window.close(List.of(samples));
    }

    private static void wait(RLock lock, SynchronousQueue<Boolean> held, SynchronousQueue<Long> acquired) {
        try {
            while (held.take()) {
                lock.lock();
                long now = System.nanoTime();
                lock.unlock();
                acquired.put(now);
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        first.shutdown();
        second.shutdown();
    }
}
