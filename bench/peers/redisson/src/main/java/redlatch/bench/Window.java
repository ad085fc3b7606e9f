package redlatch.bench;

import java.util.List;

/** The time in which cycles count: it opens when the threads are there and have settled. */
final class Window {
    private final Runnable begun;
    private final long from;
    private final long until;
    private long cpuBefore;

    /** `begun` is called when it opens. */
    Window(long settle, long milliseconds, Runnable begun) {
        this.begun = begun;
        from = System.nanoTime() + settle * 1_000_000;
        until = from + milliseconds * 1_000_000;
    }

    boolean isOver(long now) {
        return now - until >= 0;
    }

    /** Whether what begins now counts. */
    boolean counts(long now) {
        return now - from >= 0;
    }

    /** Sleeps until it opens. */
    void open() throws InterruptedException {
        for (long left = from - System.nanoTime(); left > 0; left = from - System.nanoTime()) {
            Thread.sleep(left / 1_000_000, (int) (left % 1_000_000));
        }
        cpuBefore = Round.cpuNow();
        begun.run();
    }

    /** The time is from when cycles count, which is before this thread had its turn to open the window. */
    Round close(List<Samples> samples) {
        return Round.of(from, cpuBefore, samples);
    }
}
