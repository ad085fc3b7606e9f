package redlatch.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

/**
 * Threads that share some locks with other processes, with time inside and between, as bench/mix/worker.cpp has it. They
 * begin and end when the board says so; a round is the wait for their end.
 */
final class Mix implements Scenario {
    /** What is shorter is spent on the processor: a sleep would be longer by more than itself. */
    private static final long SHORTEST_SLEEP = 100_000;

    private final Board board;
    private final double[] upTo;
    private final long hold;
    private final long pause;
    private final List<RedissonClient> clients;
    private final List<Thread> threads = new ArrayList<>();

    /** Each client belongs to as many workers, one after the other. */
    Mix(List<RedissonClient> clients, int workers, Map<String, String> shape) throws IOException {
        this.clients = clients;
        upTo = zipf(Integer.parseInt(shape.get("locks")), Double.parseDouble(shape.get("zipf")));
        board = new Board(shape.get("board"), upTo.length);
        hold = Long.parseLong(shape.get("hold")) * 1000;
        pause = Long.parseLong(shape.get("pause")) * 1000;
        int first = Integer.parseInt(shape.get("first"));
        for (int number = 0; number < workers; ++number) {
            RedissonClient client = clients.get(number * clients.size() / workers);
            List<RLock> locks = new ArrayList<>();
            for (int lock = 0; lock < upTo.length; ++lock) {
                locks.add(client.getLock("bench:mix:" + lock));
            }
            int place = first + number;
            threads.add(new Thread(() -> work(locks, place)));
        }
        threads.forEach(Thread::start);
    }

    private static double[] zipf(int count, double exponent) {
        double[] upTo = new double[count];
        double sum = 0;
        for (int place = 0; place < count; ++place) {
            upTo[place] = sum += 1 / Math.pow(place + 1, exponent);
        }
        for (int place = 0; place < count; ++place) {
            upTo[place] /= sum;
        }
        return upTo;
    }

    private int choose(double drawn) {
        int place = 0;
        while (place < upTo.length - 1 && upTo[place] <= drawn) {
            ++place;
        }
        return place;
    }

    private void work(List<RLock> locks, int place) {
        Random random = new Random(place);
        board.ready();
        while (board.phase() == Board.PREPARING) {
            LockSupport.parkNanos(1_000_000);
        }
        while (board.phase() != Board.STOPPING) {
            int which = choose(random.nextDouble());
            RLock lock = locks.get(which);
            long asked = System.nanoTime();
            board.waitsSince(place, asked);
            lock.lock();
            long waited = System.nanoTime() - asked;
            board.waitsSince(place, 0);
            board.enter(which);
            if (board.phase() == Board.MEASURING) {
                board.waited(place, waited);
            }
            spend(hold);
            board.leave(which);
            lock.unlock();
            board.cycle(place);
            spend(pause);
        }
    }

    private static void spend(long nanoseconds) {
        long until = System.nanoTime() + nanoseconds;
        for (long left = nanoseconds; left > 0; left = until - System.nanoTime()) {
            if (nanoseconds >= SHORTEST_SLEEP) {
                LockSupport.parkNanos(left);
            }
        }
    }

    @Override
    public boolean needsWarmth() {
        return false; // it is measured by the driver, which waits until the rate has settled
    }

    @Override
    public Round round(Window window) throws InterruptedException {
        window.open();
        for (Thread each : threads) {
            each.join();
        }
        return window.close(List.of());
    }

    @Override
    public void close() {
        clients.parallelStream().forEach(RedissonClient::shutdown);
    }
}
