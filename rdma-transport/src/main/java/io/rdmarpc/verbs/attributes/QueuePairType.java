package io.rdmarpc.verbs.attributes;

/** The transport service of a queue pair ({@code enum ibv_qp_type}). */
public enum QueuePairType {
    /** Reliable connection: one peer, ordered, acknowledged; SEND, READ, WRITE and atomics. */
    RC(2),
    /** Unreliable connection: one peer, not acknowledged, incomplete messages are dropped; SEND and WRITE. */
    UC(3),
    /** Unreliable datagram: any peer, messages of at most one path MTU, which may be lost. */
    UD(4);

    private final int code;

    QueuePairType(int code) {
        this.code = code;
    }

    /**
     * Returns the C value.
     *
     * @return the {@code IBV_QPT_*} value
     */
    public int code() {
        return code;
    }
}
