package io.rdmarpc.benchmarks.load;

/** Who calls. */
public enum Callers {
    /** One thread that waits for none of its calls; where a client has an event loop, that. */
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
