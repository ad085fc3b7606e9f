package redlatch.interop;

import java.util.concurrent.TimeUnit;
import org.redisson.api.RLock;
import org.redisson.client.RedisException;

/**
 * The steps of a contest into a lock and out of it, for one thread, while the master of the lock is lost.
 *
 * <p>Redisson says meanwhile that a call has failed, and whether it was executed is not known. So both steps ask again:
 * <ul>
 * <li>{@code lock()}: where the failed one was executed, the next one is a re-entry. Either way the thread has the lock when
 * one has returned.
 * <li>{@code unlock()}: where the failed one was executed, the next one finds that the thread does not have the lock. Since
 * nobody knows how often it has it - Redisson sends {@code lock()} again by itself too, and then it counts twice - the step
 * ends only with this answer.
 * </ul>
 * The same answer to the first {@code unlock()} of all means that the lock was lost while the thread was inside.
 */
final class RetriedLock {
    private final RLock lock;
    private long refusals = 0;
    private long losses = 0;

    RetriedLock(RLock lock) {
        this.lock = lock;
    }

    void enter() throws InterruptedException {
        while (true) {
            try {
                lock.lock();
                return;
            } catch (RedisException refused) {
                pause();
            }
        }
    }

    void leave() throws InterruptedException {
        for (boolean asked = false;; asked = true) {
            try {
                lock.unlock();
            } catch (IllegalMonitorStateException notHeld) {
                losses += asked ? 0 : 1;
                return;
            } catch (RedisException refused) {
                pause();
            }
        }
    }

    /** "REFUSALS,LOSSES": calls that have failed, and how often the lock was gone when its holder gave it back. */
    String history() {
        return refusals + "," + losses;
    }

    private void pause() throws InterruptedException {
        ++refusals;
        TimeUnit.MILLISECONDS.sleep(10); // sleeps because Redisson needs time to find the new master
    }
}
