package redlatch.bench;

import java.util.Arrays;
import java.util.stream.LongStream;

/** The cycles of one worker, and how long its acquisitions took, in nanoseconds. Used by one thread at a time. */
final class Samples {
    private long[] times = new long[1024];
    private int size;
    private long cycles;
    private long settled;

    void acquired(long nanoseconds) {
        if (size == times.length) {
            times = Arrays.copyOf(times, 2 * size);
        }
        times[size++] = nanoseconds;
    }

    void cycle() {
        ++cycles;
    }

    /** Before the window: a cycle that the server has seen all the same. */
    void settled() {
        ++settled;
    }

    long cycles() {
        return cycles;
    }

    long cyclesBefore() {
        return settled;
    }

    LongStream all() {
        return Arrays.stream(times, 0, size);
    }
}
