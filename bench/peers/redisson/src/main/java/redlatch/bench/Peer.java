package redlatch.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.HashMap;
import java.util.Map;

/** Redisson's RLock as a peer of the benchmark: the protocol of bench/peers/README.md. */
public final class Peer {
    private static final long WARM_ROUND = 250; // milliseconds
    private static final long LONGEST_WARM_UP = 60_000;
    /** Of processor time since the start: the second compiler comes late, and costs as long as it is at work. */
    private static final long LEAST_WORK = 8_000_000_000L;
    /** A round counts as cheaper when it is by that much. */
    private static final double CHEAPER = 0.95;
    private static final int ROUNDS_WITHOUT_GAIN = 4;

    private final Clients clients;
    private final String name;
    private final long longestWarmUp;

    private Peer(String address, String name, Map<String, String> options) {
        clients = new Clients(address, options);
        this.name = name;
        longestWarmUp = Long.parseLong(options.getOrDefault("warm", Long.toString(LONGEST_WARM_UP)));
    }

    public static void main(String[] arguments) throws Exception {
        new Peer(arguments[0], arguments[1], pairs(arguments, 2)).run();
        System.exit(0); // whatever threads are left
    }

    /** KEY=VALUE, from this word on. */
    private static Map<String, String> pairs(String[] words, int first) {
        Map<String, String> result = new HashMap<>();
        for (int at = first; at < words.length; ++at) {
            String[] pair = words[at].split("=", 2);
            result.put(pair[0], pair[1]);
        }
        return result;
    }

    private void run() throws Exception {
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in));
        Scenario now = null;
        for (String order = orders.readLine(); order != null; order = orders.readLine()) {
            String[] words = order.split(" ");
            if (words[0].equals("play")) {
                if (now != null) {
                    now.close();
                }
                now = make(words[1], Integer.parseInt(words[2]), pairs(words, 3));
                if (now.needsWarmth()) {
                    warm(now);
                }
                System.out.println("ready");
            } else {
                long settle = Long.parseLong(words[1]);
                Window window = new Window(settle, Long.parseLong(words[2]), () -> System.out.println("begun"));
                System.out.println(now.round(window).json());
            }
        }
    }

    private Scenario make(String kind, int workers, Map<String, String> shape) throws IOException {
        return switch (kind) {
            case "own", "own.fenced", "own.spin", "own.non_reentrant", "own.fair", "own.non_reentrant_fair",
                "own.faster_multi", "own.write", "own.read" ->
                Threads.onLocks(clients.make(), workers, number -> name + ":" + number, kind);
            case "own.semaphore" -> Threads.onSemaphores(clients.make(), workers, number -> name + ":permits:" + number, 1);
            case "shared.semaphore" -> Threads.onSemaphores(clients.make(), workers, number -> name + ":permits", 8);
            case "own.permits" -> Threads.onPermits(clients.make(), workers, number -> name + ":leased:" + number, 1);
            case "shared.permits" -> Threads.onPermits(clients.make(), workers, number -> name + ":leased", 8);
            case "own.multi" -> Threads.onMultiLocks(clients.make(), workers, number -> name + ":" + number);
            case "own.red" -> Threads.onRedLocks(clients.onEach(shape.get("servers").split(",")), workers,
                number -> name + ":" + number);
            case "own.latch" -> Threads.onLatches(clients.make(), workers, number -> name + ":latch:" + number);
            case "own_async" -> new InFlight(clients.make(), workers, name);
            case "shared", "shared.read", "shared.fair" -> Threads.onLocks(clients.make(), workers, number -> name, kind);
            case "hand_off" -> new HandOff(clients, name);
            case "mix" -> new Mix(clients.make(Integer.parseInt(shape.get("clients"))), workers, shape);
            case "hold" -> new Hold(clients.make(), workers, name);
            default -> throw new IllegalArgumentException("there is no scenario " + kind);
        };
    }

    /** What is hot is compiled when cycles do not become cheaper any more; other load on the machine does not change that. */
    private void warm(Scenario scenario) throws Exception {
        double cheapest = Double.MAX_VALUE;
        int withoutGain = 0;
        long until = System.nanoTime() + longestWarmUp * 1_000_000;
        while (System.nanoTime() < until && (Round.cpuNow() < LEAST_WORK || withoutGain < ROUNDS_WITHOUT_GAIN)) {
            Round now = scenario.round(new Window(0, WARM_ROUND, () -> { }));
            double cost = now.cpu() / Math.max(1, now.cycles());
            withoutGain = cost < CHEAPER * cheapest ? 0 : withoutGain + 1;
            cheapest = Math.min(cheapest, cost);
        }
    }
}
