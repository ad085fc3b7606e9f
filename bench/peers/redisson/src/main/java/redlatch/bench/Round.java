package redlatch.bench;

import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** What a round has shown. */
record Round(double seconds, long[] perWorker, long settled, double p50, double p99, double cpu) {
    /** The processor time of this process so far, in nanoseconds. */
    static long cpuNow() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
            .getProcessCpuTime();
    }

    static Round of(long began, long cpuBefore, List<Samples> samples) {
        long[] perWorker = samples.stream().mapToLong(Samples::cycles).toArray();
        long[] all = samples.stream().flatMapToLong(Samples::all).sorted().toArray();
        long settled = samples.stream().mapToLong(Samples::cyclesBefore).sum();
        return new Round((System.nanoTime() - began) / 1e9, perWorker, settled, percentile(all, 0.5),
            percentile(all, 0.99), (cpuNow() - cpuBefore) / 1e9);
    }

    long cycles() {
        return Arrays.stream(perWorker).sum();
    }

    String json() {
        return String.format(Locale.ROOT,
            "{\"seconds\": %.6f, \"cycles\": %d, \"per_worker\": %s, \"settled\": %d, \"p50_us\": %.2f,"
                + " \"p99_us\": %.2f, \"cpu_seconds\": %.6f}",
            seconds, cycles(), Arrays.toString(perWorker), settled, p50, p99, cpu);
    }

    private static double percentile(long[] sorted, double share) {
        return sorted.length == 0 ? 0 : sorted[(int) Math.round(share * (sorted.length - 1))] / 1e3;
    }
}
