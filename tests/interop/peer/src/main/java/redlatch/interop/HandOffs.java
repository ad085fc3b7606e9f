package redlatch.interop;

import java.util.concurrent.TimeUnit;
import org.redisson.api.RAtomicLong;
import org.redisson.api.RBlockingQueue;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;

/**
 * The Java side of the alternating hand-offs; hand_off_test.cpp, which holds the lock at first, is the other.
 *
 * <p>Each side has a list of its own, {@code PREFIX:java} and {@code PREFIX:cpp}, into which it writes "wants" before it asks
 * for the lock and the time in microseconds once it has it. The holder gives the lock up when it has read the other's "wants",
 * and asks again only when it has read the other's time. The counter {@code PREFIX:inside} says how many are inside; nobody
 * may ever find it above 1.
 */
final class HandOffs {
    private final RLock lock;
    private final RAtomicLong inside;
    private final RBlockingQueue<String> own;
    private final RBlockingQueue<String> other;
    private long most = 0;
    private long slowest = 0;
    private long sum = 0;

    HandOffs(RedissonClient client, RLock lock, String prefix) {
        this.lock = lock;
        inside = client.getAtomicLong(prefix + ":inside");
        own = client.getBlockingQueue(prefix + ":java", StringCodec.INSTANCE);
        other = client.getBlockingQueue(prefix + ":cpp", StringCodec.INSTANCE);
    }

    /** "MOST,SLOWEST,MEAN": the largest number seen inside, and the microseconds from a release here to the lock there. */
    String run(int rounds) throws InterruptedException {
        for (int round = 0; round < rounds; ++round) {
            own.add("wants");
            lock.lock();
            own.add(String.valueOf(Commands.microseconds()));
            most = Math.max(most, inside.incrementAndGet());

            next();
            // It sleeps because the waiters shall differ: from one that has hardly begun to one that sleeps.
            TimeUnit.MICROSECONDS.sleep(round % 4 * 700);
            inside.decrementAndGet();
            long released = Commands.microseconds();
            lock.unlock();
            long taken = Long.parseLong(next()) - released;
            slowest = Math.max(slowest, taken);
            sum += taken;
        }
        return most + "," + slowest + "," + sum / rounds;
    }

    private String next() throws InterruptedException {
        String word = other.poll(20, TimeUnit.SECONDS);
        if (word == null) {
            throw new IllegalStateException("the other side has gone silent");
        }
        return word;
    }
}
