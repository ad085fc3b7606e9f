package redlatch.bench;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Memory shared with the driver and with all other processes of a mix: bench/mix/board.hpp has the layout. */
final class Board {
    static final int PREPARING = 0;
    static final int MEASURING = 2;
    static final int STOPPING = 3;

    private static final int LINE = 64;
    private static final int PHASE = 0;
    private static final int OVERLAPS = 4;
    private static final int READY = 8;
    private static final int CYCLES = 0;
    private static final int WAITING_SINCE = 8;
    private static final int LONGEST_WAIT = 16;
    private static final VarHandle INT = MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.nativeOrder());
    private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private final ByteBuffer memory;
    private final int locks;

    Board(String path, int locks) throws IOException {
        this.locks = locks;
        try (FileChannel file = FileChannel.open(Path.of(path), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            memory = file.map(FileChannel.MapMode.READ_WRITE, 0, file.size());
        }
    }

    int phase() {
        return (int) INT.getVolatile(memory, PHASE);
    }

    void ready() {
        INT.getAndAdd(memory, READY, 1);
    }

    void enter(int lock) {
        if ((int) INT.getAndAdd(memory, LINE * (1 + lock), 1) != 0) {
            INT.getAndAdd(memory, OVERLAPS, 1);
        }
    }

    void leave(int lock) {
        INT.getAndAdd(memory, LINE * (1 + lock), -1);
    }

    /** 0: it does not wait. */
    void waitsSince(int worker, long nanoTime) {
        LONG.setVolatile(memory, place(worker) + WAITING_SINCE, nanoTime);
    }

    void waited(int worker, long nanoseconds) {
        if (nanoseconds > (long) LONG.getVolatile(memory, place(worker) + LONGEST_WAIT)) {
            LONG.setVolatile(memory, place(worker) + LONGEST_WAIT, nanoseconds);
        }
    }

    void cycle(int worker) {
        LONG.getAndAdd(memory, place(worker) + CYCLES, 1L);
    }

    private int place(int worker) {
        return LINE * (1 + locks + worker);
    }
}
