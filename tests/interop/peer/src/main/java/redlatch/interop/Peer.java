package redlatch.interop;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Redisson on a line protocol, for the C++ side of the interop tests.
 *
 * <p>Arguments of the program: the server's address (several, with spaces between: for red locks, and for a contest through a
 * loss, whose counters are on the last one), or {@code file:} and the path of a file of Redisson's; the lock watchdog timeout
 * in ms, and for how long its waiters keep their places in the queue of a fair lock.
 * Request: {@code SEQ THREAD COMMAND ARGUMENT...}; every THREAD name is one Java thread, on which its commands run one after
 * the other, so one that waits for a lock holds up no other. Reply, when the command has ended: {@code SEQ ok VALUE} or
 * {@code SEQ error CLASS TEXT}. Lock names, keys and error texts are percent-encoded UTF-8. Special:
 * {@code SEQ main interrupt THREAD} and {@code SEQ main quit}, as at the end of the input: the program ends at once, as a
 * crash would, and leaves its locks behind.
 */
public final class Peer {
    private final Map<String, ExecutorService> threads = new HashMap<>();
    private final Map<String, Future<?>> running = new HashMap<>();
    private final PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    private final Commands commands;

    private Peer(Commands commands) {
        this.commands = commands;
    }

    public static void main(String[] arguments) throws IOException {
        Peer peer = new Peer(new Commands(arguments[0], Long.parseLong(arguments[1]), Long.parseLong(arguments[2])));
        peer.say("0 ok ready");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split(" ");
            if (words[2].equals("quit")) {
                peer.say(words[0] + " ok bye");
                break;
            }
            peer.start(words);
        }
        Runtime.getRuntime().halt(0);
    }

    private void start(String[] words) {
        String sequence = words[0];
        String thread = words[1];
        if (words[2].equals("interrupt")) {
            Future<?> victim = running.get(words[3]);
            say(sequence + " ok " + (victim != null && victim.cancel(true)));
            return;
        }
        ExecutorService executor = threads.computeIfAbsent(thread, name -> Executors.newSingleThreadExecutor(task -> {
            Thread made = new Thread(task, name);
            made.setDaemon(true);
            return made;
        }));
        running.put(thread, executor.submit(() -> run(sequence, words)));
    }

    private void run(String sequence, String[] words) {
        try {
            say(sequence + " ok " + commands.run(words));
        } catch (Throwable problem) {
            StringBuilder text = new StringBuilder(String.valueOf(problem.getMessage()));
            for (Throwable cause = problem.getCause(); cause != null; cause = cause.getCause()) {
                text.append(", caused by ").append(cause);
            }
            say(sequence + " error " + problem.getClass().getSimpleName() + " "
                    + URLEncoder.encode(text.toString(), StandardCharsets.UTF_8));
        }
    }

    private synchronized void say(String line) {
        out.println(line);
    }
}
