package io.rdmarpc.benchmarks.load;

/** Kinds of calling threads. */
public enum Callers {
    /** One thread that does not wait for its calls. It runs the event loop of a client that has one. */
    ASYNC("asynchronous"),
    /** A platform thread per outstanding call, which waits for the response. */
    PLATFORM("platform threads"),
    /** A virtual thread per outstanding call, which waits for the response. */
    VIRTUAL("virtual threads");

    private final String text;

    Callers(String text) {
        this.text = text;
    }

    @Override
    public String toString() {
        return text;
    }
}
