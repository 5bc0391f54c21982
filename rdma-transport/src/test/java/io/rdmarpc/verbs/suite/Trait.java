package io.rdmarpc.verbs.suite;

/** What a provider may do or leave, so that cases that show it run where it holds only. */
enum Trait {
    /** A send from memory with a wrong key ends with LOC_PROT_ERR (10.2.6). */
    SEND_FROM_WRONG_KEY_IS_LOC_PROT_ERR,
    /** A receive into memory with a wrong key ends with LOC_PROT_ERR (10.2.6). */
    RECEIVE_INTO_WRONG_KEY_IS_LOC_PROT_ERR,
    /** A message longer than the receive is refused as an invalid request, and a local length error here (9.7.5.2.4). */
    SHORT_RECEIVE_IS_REM_INV_REQ_ERR,
    /** An atomic at an odd address goes out and the peer refuses it (9.4.5). */
    ODD_ATOMIC_REACHES_THE_PEER,
    /** An atomic at an odd address is refused by the post. */
    ODD_ATOMIC_IS_REFUSED_BY_THE_POST,
    /** A datagram over the path MTU is refused by the post. */
    LONG_DATAGRAM_IS_REFUSED,
    /** A datagram that does not fit into the receive is dropped, and the receive stays. */
    SHORT_DATAGRAM_RECEIVE_DROPS,
    /** A receive posted in ERR is flushed at once. */
    FLUSHES_RECEIVES_POSTED_IN_ERR,
    /** A queue pair may go from RESET to ERR (10.3.1, figure of the states). */
    RESET_TO_ERR,
    /** A poll of an overrun queue fails once what was in it is taken. */
    POLL_TELLS_OF_OVERRUN,
    /** Queues take what they say and no more. */
    QUEUES_ARE_AS_LARGE_AS_THEY_SAY,
    /** With the top bit of the QKEY set, the sender's own goes out (10.2.5). */
    CONTROLLED_QKEY,
    /** A failed send takes an unreliable queue pair to SQE, where receives go on (10.3.1.6). */
    SEND_ERROR_STATE
}
