package redlatch.interop;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.redisson.Redisson;
import org.redisson.RedissonRedLock;
import org.redisson.api.RAtomicLong;
import org.redisson.api.RFencedLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;

/** What the peer can be told to do; each runs on the thread that the request names. */
final class Commands {
    private final RedissonClient client;
    /** One for each address: whose members a red lock has. All else is done by the first, but for counters beside a lock whose
     * master is lost, which are those of the last. */
    private final List<RedissonClient> clients;

    Commands(String addresses, long watchdogTimeout, long fairLockWaitTimeout) {
        clients = Arrays.stream(addresses.split(" "))
                .map(address -> connected(address, watchdogTimeout, fairLockWaitTimeout)).toList();
        client = clients.get(0);
    }

    private static RedissonClient connected(String address, long watchdogTimeout, long fairLockWaitTimeout) {
        Config config = Servers.at(address);
        config.setLockWatchdogTimeout(watchdogTimeout);
        config.setFairLockWaitTimeout(fairLockWaitTimeout);
        config.setCodec(StringCodec.INSTANCE); // of the values of a group, as the C++ side takes them
        config.setThreads(4).setNettyThreads(4);
        return Redisson.create(config);
    }

    Object run(String[] words) throws Exception {
        // "fair/lock": the command on another kind of lock.
        String[] parts = words[2].split("/");
        String command = parts[parts.length - 1];
        String kind = parts.length > 1 ? parts[0] : "reentrant";
        if (command.equals("id")) {
            return client.getId();
        }
        if (command.equals("threadId")) {
            return Thread.currentThread().getId();
        }
        if (kind.equals("semaphore")) {
            return new Counters(client).semaphore(command, decode(words[3]), words);
        }
        if (kind.equals("permits")) {
            return new Permits(client).run(command, decode(words[3]), words);
        }
        if (kind.equals("latch")) {
            return new Counters(client).latch(command, decode(words[3]), words);
        }
        RLock lock = lockOf(kind, decode(words[3]));
        switch (command) {
            case "lock":
                lock(lock, words);
                return microseconds();
            case "lockInterruptibly":
                lock.lockInterruptibly();
                return microseconds();
            case "tryLock":
                return tryLock(lock, words);
            case "unlock": {
                long before = microseconds();
                lock.unlock();
                return before;
            }
            case "forceUnlock":
                return lock.forceUnlock();
            case "isLocked":
                return lock.isLocked();
            case "isHeld":
                return lock.isHeldByCurrentThread();
            case "isHeldBy":
                return lock.isHeldByThread(Long.parseLong(words[4]));
            case "holdCount":
                return lock.getHoldCount();
            case "ttl":
                return lock.remainTimeToLive();
            case "lockAsync":
                lock.lockAsync(-1, TimeUnit.MILLISECONDS, Long.parseLong(words[4])).get();
                return microseconds();
            case "tryLockAsync":
                return lock.tryLockAsync(Long.parseLong(words[4]), Long.parseLong(words[5]), TimeUnit.MILLISECONDS,
                        Long.parseLong(words[6])).get();
            case "lockWithinLease":
                lock.lock(Long.parseLong(words[4]), TimeUnit.MILLISECONDS);
                lock.lock();
                return lock.remainTimeToLive();
            case "isLockedAsync":
                return lock.isLockedAsync().get();
            case "unlockAsync":
                lock.unlockAsync(Long.parseLong(words[4])).get();
                return microseconds();
            case "lockAndGetToken":
                return ((RFencedLock) lock).lockAndGetToken();
            case "getToken":
                return ((RFencedLock) lock).getToken();
            case "handOffs":
                return new HandOffs(client, lock, decode(words[4])).run(Integer.parseInt(words[5]));
            case "contend":
                return contend(lock, client.getAtomicLong(decode(words[4]) + ":inside"), Integer.parseInt(words[5]));
            case "contest":
                return new Contest(client, words).run(lock::lock, lock::unlock);
            case "retriedContest": {
                RetriedLock retried = new RetriedLock(lock);
                return new Contest(clients.get(clients.size() - 1), words).run(retried::enter, retried::leave) + ","
                        + retried.history();
            }
            default:
                return new OddCalls(lock).run(command, words);
        }
    }

    private RLock lockOf(String kind, String name) {
        switch (kind) {
            case "reentrant":
                return client.getLock(name);
            case "fair":
                return client.getFairLock(name);
            case "fenced":
                return client.getFencedLock(name);
            case "spin":
                return client.getSpinLock(name);
            case "non_reentrant":
                return client.getNonReentrantLock(name);
            case "non_reentrant_fair":
                return client.getNonReentrantFairLock(name);
            case "read":
                return client.getReadWriteLock(name).readLock();
            case "write":
                return client.getReadWriteLock(name).writeLock();
            case "multi":
                return client.getMultiLock(locksOf(name));
            case "faster_multi":
                return valuesOf(name);
            case "red":
                return new RedissonRedLock(clients.stream().map(one -> one.getLock(name)).toArray(RLock[]::new));
            default:
                throw new IllegalArgumentException("unknown kind of lock " + kind);
        }
    }

    private RLock[] locksOf(String names) {
        return Arrays.stream(names.split(",")).map(client::getLock).toArray(RLock[]::new);
    }

    /** "GROUP|VALUE,VALUE,..."; without values the two that the C++ side has for tests of every kind of lock. */
    private RLock valuesOf(String name) {
        int end = name.lastIndexOf('|');
        String group = end < 0 ? name : name.substring(0, end);
        String[] values = end < 0 ? new String[] {"here", "there"} : name.substring(end + 1).split(",", -1);
        return client.getMultiLock(group, Arrays.<Object>asList((Object[]) values));
    }

    private static void lock(RLock lock, String[] words) {
        if (words.length > 4) {
            lock.lock(Long.parseLong(words[4]), TimeUnit.MILLISECONDS);
        } else {
            lock.lock();
        }
    }

    static boolean tryLock(RLock lock, String[] words) throws InterruptedException {
        if (words.length > 5) {
            return lock.tryLock(Long.parseLong(words[4]), Long.parseLong(words[5]), TimeUnit.MILLISECONDS);
        }
        if (words.length > 4) {
            return lock.tryLock(Long.parseLong(words[4]), TimeUnit.MILLISECONDS);
        }
        return lock.tryLock();
    }

    /** The largest number of threads seen inside. */
    private static long contend(RLock lock, RAtomicLong inside, int rounds) {
        long most = 0;
        for (int round = 0; round < rounds; ++round) {
            lock.lock();
            most = Math.max(most, inside.incrementAndGet());
            inside.decrementAndGet();
            lock.unlock();
        }
        return most;
    }

    static String decode(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }

    /** Wall clock: the one clock that both sides read. */
    static long microseconds() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    }
}
