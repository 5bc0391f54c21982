package io.rdmarpc.verbs.wr;

/** The status of a work completion, by its C value ({@code enum ibv_wc_status}). */
public final class CompletionStatus {

    /** The operation is complete. */
    public static final int SUCCESS = 0;

    /** A local buffer is too short, or the message is longer than allowed. */
    public static final int LOC_LEN_ERR = 1;

    /** The queue pair cannot execute this operation. */
    public static final int LOC_QP_OP_ERR = 2;

    /** A local buffer lies outside its memory region, or the lkey is wrong. */
    public static final int LOC_PROT_ERR = 4;

    /** The queue pair entered the error state before this request was executed. */
    public static final int WR_FLUSH_ERR = 5;

    /** A memory window could not be bound. */
    public static final int MW_BIND_ERR = 6;

    /** The responder sent an unexpected response. */
    public static final int BAD_RESP_ERR = 7;

    /** A peer's write had no access right; reported at the responder. */
    public static final int LOC_ACCESS_ERR = 8;

    /** The responder rejected an invalid message. */
    public static final int REM_INV_REQ_ERR = 9;

    /** The responder denied access to its memory: wrong rkey, range or right. */
    public static final int REM_ACCESS_ERR = 10;

    /** The responder failed to execute the operation. */
    public static final int REM_OP_ERR = 11;

    /**
     * No acknowledgment arrived after all retries: the peer is unreachable, or its queue pair does not exist any more.
     */
    public static final int RETRY_EXC_ERR = 12;

    /** The peer had no receive posted after all retries. */
    public static final int RNR_RETRY_EXC_ERR = 13;

    /** The device failed. */
    public static final int FATAL_ERR = 19;

    /** The response did not come in time. */
    public static final int RESP_TIMEOUT_ERR = 20;

    /** An unspecified error. */
    public static final int GENERAL_ERR = 21;

    private CompletionStatus() {}

    /**
     * Returns the name of a status for a message.
     *
     * @param status the value of a completion
     * @return such as {@code REM_ACCESS_ERR (10)}
     */
    public static String describe(int status) {
        String name = switch (status) {
            case SUCCESS -> "SUCCESS";
            case LOC_LEN_ERR -> "LOC_LEN_ERR";
            case LOC_QP_OP_ERR -> "LOC_QP_OP_ERR";
            case LOC_PROT_ERR -> "LOC_PROT_ERR";
            case WR_FLUSH_ERR -> "WR_FLUSH_ERR";
            case MW_BIND_ERR -> "MW_BIND_ERR";
            case BAD_RESP_ERR -> "BAD_RESP_ERR";
            case LOC_ACCESS_ERR -> "LOC_ACCESS_ERR";
            case REM_INV_REQ_ERR -> "REM_INV_REQ_ERR";
            case REM_ACCESS_ERR -> "REM_ACCESS_ERR";
            case REM_OP_ERR -> "REM_OP_ERR";
            case RETRY_EXC_ERR -> "RETRY_EXC_ERR";
            case RNR_RETRY_EXC_ERR -> "RNR_RETRY_EXC_ERR";
            case FATAL_ERR -> "FATAL_ERR";
            case RESP_TIMEOUT_ERR -> "RESP_TIMEOUT_ERR";
            case GENERAL_ERR -> "GENERAL_ERR";
            default -> "status";
        };
        return name + " (" + status + ")";
    }
}
