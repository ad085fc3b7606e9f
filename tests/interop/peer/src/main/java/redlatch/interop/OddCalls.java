package redlatch.interop;

import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.redisson.api.RFencedLock;
import org.redisson.api.RLock;

/** Calls of locks that only the tests of Redisson's defects make. */
final class OddCalls {
    private final RLock lock;

    OddCalls(RLock lock) {
        this.lock = lock;
    }

    Object run(String command, String[] words) throws Exception {
        switch (command) {
            case "lockInterruptiblyForSeconds":
                lock.lockInterruptibly(Long.parseLong(words[4]), TimeUnit.SECONDS);
                return Commands.microseconds();
            case "lockWhileInterrupted":
                Thread.currentThread().interrupt();
                lock.lock();
                return Thread.interrupted();
            case "tryLockTwiceUnlockOnce": {
                boolean both = Commands.tryLock(lock, words) && Commands.tryLock(lock, words);
                lock.unlock();
                return both;
            }
            case "unlockOnceBesideAnAttempt":
                return unlockOnceBesideAnAttempt(Long.parseLong(words[4]), Long.parseLong(words[5]));
            case "tryLockAgainAndAgain":
                while (!lock.tryLock()) {
                    Thread.onSpinWait();
                }
                return Commands.microseconds();
            case "lockAsyncWithoutLease":
                lock.lockAsync().get();
                return Commands.microseconds();
            case "tryLockAsyncWithoutLease":
                return lock.tryLockAsync(Long.parseLong(words[4]), TimeUnit.MILLISECONDS).get();
            case "lockWithLeaseAndGetToken":
                return ((RFencedLock) lock).lockAndGetToken(Long.parseLong(words[4]), TimeUnit.MILLISECONDS);
            case "tryLockAndGetToken":
                return ((RFencedLock) lock).tryLockAndGetToken();
            default:
                throw new IllegalArgumentException("unknown command " + command);
        }
    }

    /** Locked twice, unlocked once; meanwhile another thread has asked for it by the same object, for a lease that is short. */
    private long unlockOnceBesideAnAttempt(long lease, long shortLease) throws Exception {
        lock.lock(lease, TimeUnit.MILLISECONDS);
        lock.lock(lease, TimeUnit.MILLISECONDS);
        FutureTask<Boolean> attempt = new FutureTask<>(() -> lock.tryLock(0, shortLease, TimeUnit.MILLISECONDS));
        new Thread(attempt).start();
        if (attempt.get()) {
            throw new IllegalStateException("two have the lock");
        }
        lock.unlock();
        return lock.remainTimeToLive();
    }
}
