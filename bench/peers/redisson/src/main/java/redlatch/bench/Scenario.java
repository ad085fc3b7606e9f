package redlatch.bench;

/** What is measured. */
interface Scenario extends AutoCloseable {
    Round round(Window window) throws Exception;

    default boolean needsWarmth() {
        return true;
    }

    @Override
    default void close() {
    }
}
