package io.rdmarpc.verbs.attributes;

/**
 * The states of a queue pair ({@code enum ibv_qp_state}; InfiniBand Architecture Specification vol. 1, 10.3.1).
 *
 * <pre>
 *   RESET -> INIT -> RTR -> RTS &lt;-> SQD
 *     any state -> ERR, any state -> RESET
 * </pre>
 */
public enum QueuePairState {
    /** The initial state: no work request may be posted. */
    RESET(0),
    /** Receives may be posted; the device does not process them yet. */
    INIT(1),
    /** Ready to receive. */
    RTR(2),
    /** Ready to send and to receive. */
    RTS(3),
    /** Send queue draining. */
    SQD(4),
    /** The send queue is in error; receives continue. UC and UD only. */
    SQE(5),
    /** The device flushes every outstanding and new work request with an error. */
    ERR(6);

    private static final QueuePairState[] BY_CODE = values();

    private final int code;

    QueuePairState(int code) {
        this.code = code;
    }

    /**
     * Returns the C value.
     *
     * @return the {@code IBV_QPS_*} value
     */
    public int code() {
        return code;
    }

    /**
     * Finds the state of a C value.
     *
     * @param code an {@code IBV_QPS_*} value, 0 to 6
     * @return the state
     */
    public static QueuePairState of(int code) {
        return BY_CODE[code];
    }
}
