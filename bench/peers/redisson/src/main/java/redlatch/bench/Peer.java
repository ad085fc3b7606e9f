package redlatch.bench;

import java.io.BufferedReader;
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
        Map<String, String> options = new HashMap<>();
        for (int at = 2; at < arguments.length; ++at) {
            String[] pair = arguments[at].split("=", 2);
            options.put(pair[0], pair[1]);
        }
        new Peer(arguments[0], arguments[1], options).run();
        System.exit(0); // whatever threads are left
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
                now = make(words[1], Integer.parseInt(words[2]));
                if (now.needsWarmth()) {
                    warm(now);
                }
                System.out.println("ready");
            } else {
                System.out.println(now.round(Long.parseLong(words[1])).json());
            }
        }
    }

    private Scenario make(String kind, int workers) {
        return switch (kind) {
            case "own" -> new Threads(clients.make(), workers, number -> name + ":" + number);
            case "own_async" -> new InFlight(clients.make(), workers, name);
            case "shared" -> new Threads(clients.make(), workers, number -> name);
            case "hand_over" -> new HandOver(clients, name);
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
            Round now = scenario.round(WARM_ROUND);
            double cost = now.cpu() / Math.max(1, now.cycles());
            withoutGain = cost < CHEAPER * cheapest ? 0 : withoutGain + 1;
            cheapest = Math.min(cheapest, cost);
        }
    }
}
