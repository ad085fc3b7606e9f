package redlatch.interop;

import java.util.concurrent.TimeUnit;
import org.redisson.api.RAtomicLong;
import org.redisson.api.RCountDownLatch;
import org.redisson.api.RSemaphore;
import org.redisson.api.RedissonClient;

/** Semaphores and latches: "semaphore/acquire NAME 3", "latch/await NAME". What waits answers with the time, as locks do. */
final class Counters {
    private final RedissonClient client;

    Counters(RedissonClient client) {
        this.client = client;
    }

    Object semaphore(String command, String name, String[] words) throws InterruptedException {
        RSemaphore semaphore = client.getSemaphore(name);
        boolean ofOne = command.equals("contend") || command.equals("contest");
        int permits = words.length > 4 && !ofOne ? Integer.parseInt(words[4]) : 1;
        switch (command) {
            case "acquire":
                semaphore.acquire(permits);
                return Commands.microseconds();
            case "tryAcquire":
                return words.length > 5
                        ? semaphore.tryAcquire(permits, Long.parseLong(words[5]), TimeUnit.MILLISECONDS)
                        : semaphore.tryAcquire(permits);
            case "release": {
                long before = Commands.microseconds();
                semaphore.release(permits);
                return before;
            }
            case "releaseIfExists":
                return semaphore.releaseIfExists(permits);
            case "availablePermits":
                return semaphore.availablePermits();
            case "drainPermits":
                return semaphore.drainPermits();
            case "trySetPermits":
                return semaphore.trySetPermits(permits);
            case "addPermits":
                semaphore.addPermits(permits);
                return true;
            case "contend":
                return contend(semaphore, client.getAtomicLong(Commands.decode(words[4])), Integer.parseInt(words[5]));
            case "contest":
                return new Contest(client, words).run(semaphore::acquire, semaphore::release);
            default:
                throw new IllegalArgumentException("unknown command " + command);
        }
    }

    Object latch(String command, String name, String[] words) throws InterruptedException {
        RCountDownLatch latch = client.getCountDownLatch(name);
        switch (command) {
            case "await":
                if (words.length > 4) {
                    return latch.await(Long.parseLong(words[4]), TimeUnit.MILLISECONDS);
                }
                latch.await();
                return Commands.microseconds();
            case "countDown": {
                long before = Commands.microseconds();
                latch.countDown();
                return before;
            }
            case "getCount":
                return latch.getCount();
            case "trySetCount":
                return latch.trySetCount(Long.parseLong(words[4]));
            case "delete": {
                long before = Commands.microseconds();
                return latch.delete() ? before : -1;
            }
            default:
                throw new IllegalArgumentException("unknown command " + command);
        }
    }

    /** The largest number of permits seen taken. */
    private static long contend(RSemaphore semaphore, RAtomicLong taken, int rounds) throws InterruptedException {
        long most = 0;
        for (int round = 0; round < rounds; ++round) {
            semaphore.acquire();
            most = Math.max(most, taken.incrementAndGet());
            taken.decrementAndGet();
            semaphore.release();
        }
        return most;
    }
}
