package io.rdmarpc.verbs.soft.rnic;

/** Why the software RNIC dropped a packet without a response. */
public enum DropReason {
    /** Too short, too long, not a multiple of four, or its headers contradict its length. */
    MALFORMED,
    /** A BTH version other than 0. */
    UNKNOWN_VERSION,
    /** The partition key is not the default one. */
    WRONG_PKEY,
    /** The invariant CRC is wrong: the packet was corrupted, or its IP header is not the assumed one. */
    WRONG_ICRC,
    /** No queue pair has that number. */
    UNKNOWN_QP,
    /** The queue pair is not in a state that receives. */
    WRONG_STATE,
    /** An operation that this type of queue pair does not support. */
    WRONG_OPCODE,
    /** The source is not the address to which the queue pair is connected. */
    WRONG_SOURCE,
    /** A datagram whose Q_Key differs from the queue pair's. */
    WRONG_QKEY,
    /** A message that needs a receive, and none is posted; a reliable connection requests a retry from the sender. */
    NO_RECEIVE,
    /** A datagram, or a message of an unreliable connection, that is longer than the posted receive. */
    RECEIVE_TOO_SHORT,
    /** A duplicate or unexpected response to a READ or atomic. */
    STALE_RESPONSE,
    /** A request after a missing one; the responder sends one NAK. */
    EARLY_REQUEST,
    /** A duplicate packet of a SEND or WRITE; acknowledged again. */
    REPEATED_REQUEST,
    /** A duplicate READ or atomic that is no longer valid or known. */
    STALE_REQUEST,
    /** More concurrent READs and atomics than the queue pair supports. */
    TOO_MANY_READS,
    /** An acknowledgment without new information. */
    IDLE_ACKNOWLEDGE,
    /** A packet of an unreliable connection whose message misses an earlier packet, or a duplicate. */
    INCOMPLETE_MESSAGE,
    /**
     * A message of an unreliable connection that violates the protocol, or for whose target it has no right to write.
     */
    REJECTED_MESSAGE
}
