package io.rdmarpc.verbs;

/**
 * What happened outside of work requests ({@code enum ibv_event_type}).
 *
 * <p>Seen from a device (rxe of Linux 6.1): CQ_ERR, SQ_DRAINED, PORT_ERR, PORT_ACTIVE, SRQ_LIMIT_REACHED, GID_CHANGE.
 * The others take the same way from the C struct to the listener but were tested with structs made by hand: not verified
 * on hardware.
 */
public enum AsyncEventType {
    /** A completion queue was overrun or failed: it makes no completions any more. */
    CQ_ERR(0, Source.COMPLETION_QUEUE),
    /** A queue pair failed and is in the error state. */
    QP_FATAL(1, Source.QUEUE_PAIR),
    /** A peer sent a request that the queue pair could not take. */
    QP_REQ_ERR(2, Source.QUEUE_PAIR),
    /** A peer tried to use memory it has no right to. */
    QP_ACCESS_ERR(3, Source.QUEUE_PAIR),
    /** The first packet arrived on a queue pair that is ready to receive. */
    COMM_EST(4, Source.QUEUE_PAIR),
    /** The send queue of a queue pair in SQD has drained. */
    SQ_DRAINED(5, Source.QUEUE_PAIR),
    /** A connection has moved to its alternate path. */
    PATH_MIG(6, Source.QUEUE_PAIR),
    /** A connection could not move to its alternate path. */
    PATH_MIG_ERR(7, Source.QUEUE_PAIR),
    /** The device failed: nothing on it will complete. */
    DEVICE_FATAL(8, Source.DEVICE),
    /** A port carries traffic again. */
    PORT_ACTIVE(9, Source.PORT),
    /** A port carries no traffic any more. */
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
    /** A failed queue pair has taken its last receive from the shared queue. */
    QP_LAST_WQE_REACHED(16, Source.QUEUE_PAIR),
    /** The subnet manager asks to register again. */
    CLIENT_REREGISTER(17, Source.PORT),
    /** A port's GID table changed. */
    GID_CHANGE(18, Source.PORT),
    /** A work queue failed. */
    WQ_FATAL(19, Source.OTHER);

    /** What an event is about. */
    public enum Source {
        /** The device as a whole. */
        DEVICE,
        /** One port. */
        PORT,
        /** A queue pair. */
        QUEUE_PAIR,
        /** A completion queue. */
        COMPLETION_QUEUE,
        /** A shared receive queue. */
        SHARED_RECEIVE_QUEUE,
        /** Something this library does not make. */
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
     * Tells what events of this type are about.
     *
     * @return the kind of object
     */
    public Source source() {
        return source;
    }

    /**
     * Tells whether work is lost for which no completion may come.
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
     * Tells whether there is an event type for a C value.
     *
     * @param code any number
     * @return true when {@link #of} takes it
     */
    public static boolean isKnown(int code) {
        return code >= 0 && code < BY_CODE.length;
    }

    /**
     * Finds the type of a C value.
     *
     * @param code an {@code IBV_EVENT_*} value that {@link #isKnown is known}
     * @return the type
     */
    public static AsyncEventType of(int code) {
        return BY_CODE[code];
    }
}
