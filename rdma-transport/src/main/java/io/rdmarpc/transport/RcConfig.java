package io.rdmarpc.transport;

/**
 * Settings of the connected transport that carries large messages.
 *
 * @param sendDepth READ work requests of one queue pair in flight
 * @param maxReads READs one queue pair has outstanding at the NIC; the smaller of both sides' and the devices' is used
 * @param ackTimeout exponent of the acknowledge time-out: 4.096 us x 2^n, 1 to 31
 * @param retryCount retries before a queue pair gives up, 0 to 7
 * @param readBudget READ work requests in flight of all engines on a NIC; the first one says how many
 */
public record RcConfig(int sendDepth, int maxReads, int ackTimeout, int retryCount, int readBudget) {

    private static final int BUDGET = 64;

    /** 64 READ work requests, 16 at the NIC, 67 ms time-out, 7 retries. */
    public static final RcConfig DEFAULTS = new RcConfig(64, 16, 14, 7);

    /**
     * Takes a budget of 64 READs.
     *
     * @param sendDepth READ work requests of one queue pair in flight
     * @param maxReads READs one queue pair has outstanding at the NIC
     * @param ackTimeout exponent of the acknowledge time-out
     * @param retryCount retries before a queue pair gives up
     */
    public RcConfig(int sendDepth, int maxReads, int ackTimeout, int retryCount) {
        this(sendDepth, maxReads, ackTimeout, retryCount, BUDGET);
    }
}
