package redlatch.interop;

import java.io.BufferedReader;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.RandomAccessFile;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.redisson.Redisson;
import org.redisson.RedissonRedLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.BaseConfig;
import org.redisson.config.Config;

/**
 * Redisson's twin of tests/chaos/worker.cpp: the same arguments, the same lines in the same file format.
 *
 * <p>A holder here is not told of a loss and has no validity that it could look at; so it is inside from lock() to unlock(), as
 * programs with Redisson are, and learns of a loss when unlock() throws; that of a RedissonRedLock never does.
 */
public final class Worker {
    private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private final Map<String, String> settings = new HashMap<>();
    private final FileOutputStream history;
    private final ByteBuffer counter;
    private final List<RedissonClient> clients; // several: a red lock of them
    private volatile boolean released = false;
    private volatile boolean ending = false;

    private Worker(String[] arguments) throws IOException {
        for (String argument : arguments) {
            String[] parts = argument.split("=", 2);
            settings.put(parts[0], parts[1]);
        }
        history = new FileOutputStream(settings.get("history"), true);
        try (RandomAccessFile file = new RandomAccessFile(settings.get("counter"), "rw")) {
            counter = file.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, 8);
        }
        String mode = settings.get("mode");
        String[] addresses = settings.get("uri").split(" ");
        if (mode.isEmpty()) {
            clients = Arrays.stream(addresses).map(address -> connected(config -> Servers.use(config, address))).toList();
        } else {
            clients = List.of(connected(config -> Servers.use(config, mode, addresses)));
        }
    }

    private RedissonClient connected(Function<Config, BaseConfig<?>> servers) {
        Config config = new Config();
        config.setLockWatchdogTimeout(number("watchdog"));
        config.setThreads(4).setNettyThreads(4);
        servers.apply(config).setTimeout((int) number("timeout")).setPingConnectionInterval((int) number("ping"));
        return Redisson.create(config);
    }

    public static void main(String[] arguments) throws Exception {
        new Worker(arguments).run();
        Runtime.getRuntime().halt(0);
    }

    private void run() throws Exception {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < number("threads"); ++i) {
            String who = settings.get("name") + "." + i;
            Thread thread = new Thread(() -> cycles(who), who);
            threads.add(thread);
            thread.start();
        }
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            released |= line.equals("release");
        }
        // Without interrupts: what they leave behind would be blamed on the fault. All end in their turn.
        ending = true;
        for (Thread thread : threads) {
            thread.join();
        }
        clients.forEach(RedissonClient::shutdown);
    }

    private void cycles(String who) {
        say(who, "begin", now(), 0, "");
        RLock lock = lockOfAll();
        long length = number("first") > 0 ? number("first") : number("section");
        while (!ending) {
            if (cycle(who, lock, length)) {
                length = number("section");
            }
            pause(number("pause"));
        }
        say(who, "end", now(), 0, "");
    }

    private RLock lockOfAll() {
        RLock[] members = clients.stream().map(one -> one.getLock(settings.get("lock"))).toArray(RLock[]::new);
        return members.length == 1 ? members[0] : new RedissonRedLock(members);
    }

    private boolean cycle(String who, RLock lock, long length) {
        say(who, "ask", now(), 0, "");
        try {
            if (number("lease") > 0) {
                lock.lock(number("lease"), TimeUnit.MILLISECONDS);
            } else {
                lock.lock();
            }
        } catch (RuntimeException problem) {
            say(who, "fail", now(), 0, problem.getClass().getSimpleName());
            return false;
        }
        say(who, "got", now(), 0, "");
        inside(who, length);
        try {
            lock.unlock();
            say(who, "freed", now(), 0, "");
        } catch (IllegalMonitorStateException lost) {
            say(who, "freed", now(), 0, "lease_lost");
        } catch (RuntimeException problem) {
            say(who, "freed", now(), 0, problem.getClass().getSimpleName());
        }
        return true;
    }

    private void inside(String who, long length) {
        long token = (long) LONG.getAndAdd(counter, 0, 1L) + 1;
        long at = now();
        say(who, "enter", at, token, "");
        boolean longOne = length != number("section");
        long end = at + length * 1000;
        for (;;) {
            pause(number("look"));
            long last = (long) LONG.getVolatile(counter, 0);
            at = now();
            boolean over = at >= end || ending || longOne && released;
            say(who, over ? "leave" : "look", at, last, "");
            if (over) {
                return;
            }
        }
    }

    private static void pause(long milliseconds) {
        try {
            // sleeps because work takes time
            Thread.sleep(milliseconds);
        } catch (InterruptedException wanted) {
            Thread.currentThread().interrupt();
        }
    }

    /** System.nanoTime() reads CLOCK_MONOTONIC, as the C++ side does. */
    private static long now() {
        return System.nanoTime() / 1000;
    }

    private long number(String name) {
        return Long.parseLong(settings.get(name));
    }

    private synchronized void say(String who, String what, long at, long number, String text) {
        try {
            history.write((at + " " + who + " " + what + " " + number + " 0 " + text + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (IOException problem) {
            throw new IllegalStateException(problem);
        }
    }
}
