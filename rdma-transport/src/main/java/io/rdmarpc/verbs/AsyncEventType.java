package io.rdmarpc.verbs;

/**
 * The type of an asynchronous event ({@code enum ibv_event_type}).
 *
 * <p>A device (rxe of Linux 6.1) delivered these in tests: CQ_ERR, SQ_DRAINED, PORT_ERR, PORT_ACTIVE,
 * SRQ_LIMIT_REACHED, GID_CHANGE. The code handles the other types in the same way. Tests create their structs, because
 * the device did not deliver them.
 */
public enum AsyncEventType {
    /** A completion queue was overrun or failed: it reports no further completions. */
    CQ_ERR(0, Source.COMPLETION_QUEUE),
    /** A queue pair failed and is in the error state. */
    QP_FATAL(1, Source.QUEUE_PAIR),
    /** A peer sent an invalid request to the queue pair. */
    QP_REQ_ERR(2, Source.QUEUE_PAIR),
    /** A peer tried to access memory without the right to do so. */
    QP_ACCESS_ERR(3, Source.QUEUE_PAIR),
    /** The first packet arrived on a queue pair that is ready to receive. */
    COMM_EST(4, Source.QUEUE_PAIR),
    /** The send queue of a queue pair in SQD has drained. */
    SQ_DRAINED(5, Source.QUEUE_PAIR),
    /** A connection has moved to its alternate path. */
    PATH_MIG(6, Source.QUEUE_PAIR),
    /** A connection could not move to its alternate path. */
    PATH_MIG_ERR(7, Source.QUEUE_PAIR),
    /** The device failed: its work requests do not complete. */
    DEVICE_FATAL(8, Source.DEVICE),
    /** A port carries traffic again. */
    PORT_ACTIVE(9, Source.PORT),
    /** A port stopped carrying traffic. */
    PORT_ERR(10, Source.PORT),
    /** A port's LID changed. */
    LID_CHANGE(11, Source.PORT),
    /** A port's partition keys changed. */
    PKEY_CHANGE(12, Source.PORT),
    /** A port has another subnet manager. */
    SM_CHANGE(13, Source.PORT),
    /** A shared receive queue failed. */
    SRQ_ERR(14, Source.SHARED_RECEIVE_QUEUE),
    /** Fewer receives are posted than the limit that was armed. */
    SRQ_LIMIT_REACHED(15, Source.SHARED_RECEIVE_QUEUE),
    /** A queue pair in the error state has consumed its last receive of the shared queue. */
    QP_LAST_WQE_REACHED(16, Source.QUEUE_PAIR),
    /** The subnet manager requests that clients register again. */
    CLIENT_REREGISTER(17, Source.PORT),
    /** A port's GID table changed. */
    GID_CHANGE(18, Source.PORT),
    /** A work queue failed. */
    WQ_FATAL(19, Source.OTHER);

    /** The kind of object that an event concerns. */
    public enum Source {
        /** The whole device. */
        DEVICE,
        /** One port. */
        PORT,
        /** A queue pair. */
        QUEUE_PAIR,
        /** A completion queue. */
        COMPLETION_QUEUE,
        /** A shared receive queue. */
        SHARED_RECEIVE_QUEUE,
        /** An object that this library does not create. */
        OTHER
    }

    private static final AsyncEventType[] BY_CODE = values();

    private final int code;
    private final Source source;

    AsyncEventType(int code, Source source) {
        this.code = code;
        this.source = source;
    }

    /**
     * Returns the C value.
     *
     * @return the {@code IBV_EVENT_*} value
     */
    public int code() {
        return code;
    }

    /**
     * Returns the kind of object that events of this type concern.
     *
     * @return the kind of object
     */
    public Source source() {
        return source;
    }

    /**
     * Returns whether work may be lost without a completion.
     *
     * @return true for failures of a queue pair, completion queue, shared receive queue or the device
     */
    public boolean isFatal() {
        return switch (this) {
            case CQ_ERR, QP_FATAL, QP_REQ_ERR, QP_ACCESS_ERR, DEVICE_FATAL, SRQ_ERR, WQ_FATAL -> true;
            default -> false;
        };
    }

    /**
     * Returns whether a C value has an event type.
     *
     * @param code any number
     * @return true if {@link #of} accepts the value
     */
    public static boolean isKnown(int code) {
        return code >= 0 && code < BY_CODE.length;
    }

    /**
     * Returns the type of a C value.
     *
     * @param code an {@code IBV_EVENT_*} value that {@link #isKnown is known}
     * @return the type
     */
    public static AsyncEventType of(int code) {
        return BY_CODE[code];
    }
}
