package io.rdmarpc.benchmarks.load;

/** Conditions under which calls are measured. */
public enum Circumstances {
    /** No other load runs. */
    QUIET(""),
    /** A shell loop keeps a CPU busy. */
    BESIDE_A_BUSY_PROCESS(", alongside a busy process"),
    /** Calls start at half the rate that a reference reached in the same round. */
    PACED(", paced"),
    /** Calls start at 100 per second, so that adaptive polling threads sleep between calls. */
    SELDOM(", 100 calls per second"),
    /** Each caller makes one call after 10 s without calls, several times. The CPU time of the pauses counts. */
    AFTER_IDLE(", after 10 s without calls");

    private final String text;

    Circumstances(String text) {
        this.text = text;
    }

    @Override
    public String toString() {
        return text;
    }
}
