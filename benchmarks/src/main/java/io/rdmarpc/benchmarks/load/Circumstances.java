package io.rdmarpc.benchmarks.load;

/** Conditions under which calls are measured. */
public enum Circumstances {
    /** Nothing else runs. */
    QUIET(""),
    /** A shell loop keeps a CPU busy. */
    BESIDE_A_BUSY_PROCESS(", beside a busy process"),
    /** Calls begin at half of the rate that a reference has reached in this round. */
    PACED(", paced"),
    /** Calls begin at 100 a second: adaptive polling threads sleep in between. */
    SELDOM(", 100 calls a second"),
    /** Each caller calls once after 10 s without calls, several times; the processor time of the pauses counts. */
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
