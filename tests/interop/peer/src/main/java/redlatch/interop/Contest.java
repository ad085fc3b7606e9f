package redlatch.interop;

import java.util.concurrent.TimeUnit;
import org.redisson.api.RAtomicLong;
import org.redisson.api.RedissonClient;
import org.redisson.client.RedisException;
import org.redisson.client.RedisNodeNotFoundException;

/**
 * The Java side of a contest for a section; contest.hpp is the other, and holds the section when this one begins.
 *
 * <p>The counter {@code PREFIX:begun} says that this side asks from now on. Who is inside counts himself in
 * {@code PREFIX:inside}, which nobody may ever find above 1, and his entry in {@code PREFIX:entries}; he works, and pauses
 * before he asks again. It is over when there were as many entries as wanted; those beyond, of a side that is alone then,
 * belong to nobody. Where some share the section, who does not counts for more than one inside.
 */
final class Contest {
    /** How one gets into the section and out of it. */
    interface Step {
        void take() throws InterruptedException;
    }

    private final RAtomicLong begun;
    private final RAtomicLong inside;
    private final RAtomicLong entries;
    private final int wanted;
    private final long work;
    private final long pause;
    private final long weight;

    Contest(RedissonClient client, String[] words) {
        String prefix = Commands.decode(words[4]);
        begun = client.getAtomicLong(prefix + ":begun");
        inside = client.getAtomicLong(prefix + ":inside");
        entries = client.getAtomicLong(prefix + ":entries");
        wanted = Integer.parseInt(words[5]);
        work = Long.parseLong(words[6]);
        pause = Long.parseLong(words[7]);
        weight = Long.parseLong(words[8]);
    }

    /** "MOST,OWN": the largest number seen inside, and how many of the wanted entries were of this side. */
    String run(Step enter, Step leave) throws InterruptedException {
        long most = 0;
        long own = 0;
        begun.incrementAndGet();
        for (long entry = 0; entry < wanted;) {
            takeWhenKnown(enter);
            most = Math.max(most, inside.addAndGet(weight));
            entry = entries.incrementAndGet();
            if (entry <= wanted) {
                ++own;
            }
            TimeUnit.MICROSECONDS.sleep(work); // sleeps because work takes time
            inside.addAndGet(-weight);
            takeWhenKnown(leave);
            TimeUnit.MICROSECONDS.sleep(pause); // sleeps because other work does too
        }
        return most + "," + own;
    }

    /** While a slot moves Redisson refuses for a moment: it has sent nothing then. */
    private static void takeWhenKnown(Step step) throws InterruptedException {
        while (true) {
            try {
                step.take();
                return;
            } catch (RedisException problem) {
                if (!isUnknownNode(problem)) {
                    throw problem;
                }
                TimeUnit.MILLISECONDS.sleep(1); // sleeps because Redisson's scan of the cluster takes time
            }
        }
    }

    private static boolean isUnknownNode(Throwable problem) {
        return problem instanceof RedisNodeNotFoundException
                || problem.getCause() != null && isUnknownNode(problem.getCause());
    }
}
