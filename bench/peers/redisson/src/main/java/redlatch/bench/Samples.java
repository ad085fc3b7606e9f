package redlatch.bench;

import java.util.Arrays;
import java.util.stream.LongStream;

/** The cycles of one worker, and how long its acquisitions took, in nanoseconds. Used by one thread at a time. */
final class Samples {
    private long[] times = new long[1024];
    private int size;
    private long cycles;

    void acquired(long nanoseconds) {
        if (size == times.length) {
            times = Arrays.copyOf(times, 2 * size);
        }
        times[size++] = nanoseconds;
    }

    void cycle() {
        ++cycles;
    }

    long cycles() {
        return cycles;
    }

    LongStream all() {
        return Arrays.stream(times, 0, size);
    }
}
