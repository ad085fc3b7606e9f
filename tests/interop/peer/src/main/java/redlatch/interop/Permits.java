package redlatch.interop;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RedissonClient;

/** Permit semaphores: "permits/acquire NAME 2 60000", a lease of 0 for ever. Several ids are one word, separated by commas. */
final class Permits {
    private final RedissonClient client;

    Permits(RedissonClient client) {
        this.client = client;
    }

    Object run(String command, String name, String[] words) throws Exception {
        RPermitExpirableSemaphore semaphore = client.getPermitExpirableSemaphore(name);
        switch (command) {
            case "acquire": {
                int permits = Integer.parseInt(words[4]);
                long lease = Long.parseLong(words[5]);
                List<String> ids =
                        lease > 0 ? semaphore.acquire(permits, lease, TimeUnit.MILLISECONDS) : semaphore.acquire(permits);
                return String.join(",", ids);
            }
            case "acquireTimed":
                semaphore.acquire(Integer.parseInt(words[4]));
                return Commands.microseconds();
            case "tryAcquire": {
                String id = semaphore.tryAcquire();
                return id == null ? "none" : id;
            }
            case "tryAcquireAsync":
                return semaphore.tryAcquireAsync().get();
            case "release": {
                long before = Commands.microseconds();
                List<String> ids = Arrays.asList(Commands.decode(words[4]).split(","));
                if (ids.size() == 1) {
                    semaphore.release(ids.get(0));
                } else {
                    semaphore.release(ids);
                }
                return before;
            }
            case "tryRelease":
                return semaphore.tryRelease(words[4]);
            case "availablePermits":
                return semaphore.availablePermits();
            case "getPermits":
                return semaphore.getPermits();
            case "acquiredPermits":
                return semaphore.acquiredPermits();
            case "trySetPermits":
                return semaphore.trySetPermits(Integer.parseInt(words[4]));
            case "setPermits":
                semaphore.setPermits(Integer.parseInt(words[4]));
                return true;
            case "addPermits":
                semaphore.addPermits(Integer.parseInt(words[4]));
                return true;
            case "updateLeaseTime":
                return semaphore.updateLeaseTime(words[4], Long.parseLong(words[5]), TimeUnit.MILLISECONDS);
            case "getLeaseTime":
                return semaphore.getLeaseTime(words[4]);
            case "delete":
                return semaphore.delete();
            case "contest": {
                String[] taken = new String[1];
                return new Contest(client, words).run(() -> taken[0] = semaphore.acquire(), () -> semaphore.release(taken[0]));
            }
            default:
                throw new IllegalArgumentException("unknown command " + command);
        }
    }
}
