package io.rdmarpc.benchmarks.load;

/** Kinds of calling threads. */
public enum Callers {
    /** One thread that does not wait for its calls. It is the event loop of a client that has one. */
    ASYNC("asynchronous"),
    /** A platform thread for each call outstanding, which waits for it. */
    PLATFORM("platform threads"),
    /** A virtual thread for each. */
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
