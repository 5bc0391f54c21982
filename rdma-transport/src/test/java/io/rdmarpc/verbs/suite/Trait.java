package io.rdmarpc.verbs.suite;

/** Optional behavior of a provider. A case of such behavior runs only for providers that have it. */
enum Trait {
    /** A send from memory with a wrong key ends with LOC_PROT_ERR (10.2.6). */
    SEND_FROM_WRONG_KEY_IS_LOC_PROT_ERR,
    /** A receive into memory with a wrong key ends with LOC_PROT_ERR (10.2.6). */
    RECEIVE_INTO_WRONG_KEY_IS_LOC_PROT_ERR,
    /**
     * A message longer than the receive is rejected as an invalid request, and a local length error at the receiver
     * (9.7.5.2.4).
     */
    SHORT_RECEIVE_IS_REM_INV_REQ_ERR,
    /** The peer rejects an atomic at an odd address (9.4.5). */
    ODD_ATOMIC_REACHES_THE_PEER,
    /** The post rejects an atomic at an odd address. */
    POST_REJECTS_ODD_ATOMIC,
    /** The post rejects a datagram over the path MTU. */
    POST_REJECTS_LONG_DATAGRAM,
    /** A datagram that does not fit into the receive is dropped, and the receive stays posted. */
    SHORT_DATAGRAM_RECEIVE_DROPS,
    /** A receive posted in ERR is flushed at once. */
    FLUSHES_RECEIVES_POSTED_IN_ERR,
    /** A queue pair may go from RESET to ERR (10.3.1, figure of the states). */
    RESET_TO_ERR,
    /** A poll of an overrun queue fails after it has returned the completions in the queue. */
    POLL_REPORTS_OVERRUN,
    /** Queues accept exactly the reported number of requests. */
    QUEUES_ACCEPT_THE_REPORTED_SIZE,
    /** If the top bit of the QKEY is set, the sender's QKEY is sent (10.2.5). */
    CONTROLLED_QKEY,
    /** A failed send moves an unreliable queue pair to SQE, in which receives continue (10.3.1.6). */
    SEND_ERROR_STATE
}
