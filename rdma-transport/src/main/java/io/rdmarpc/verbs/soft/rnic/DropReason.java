package io.rdmarpc.verbs.soft.rnic;

/** Why the software RNIC dropped a packet without an answer. */
public enum DropReason {
    /** Too short, too long, not a multiple of four, or its headers contradict its length. */
    MALFORMED,
    /** A BTH version other than 0. */
    UNKNOWN_VERSION,
    /** Another partition. */
    WRONG_PKEY,
    /** The invariant CRC does not fit: changed on the way, or by a sender whose IP header is not the assumed one. */
    WRONG_ICRC,
    /** No queue pair has that number. */
    UNKNOWN_QP,
    /** The queue pair is not in a state that receives. */
    WRONG_STATE,
    /** An operation that this kind of queue pair does not have. */
    WRONG_OPCODE,
    /** Not from the address that the queue pair is connected to. */
    WRONG_SOURCE,
    /** A datagram with another key than the queue pair's. */
    WRONG_QKEY,
    /** A message that takes a receive, and none is posted; a reliable connection tells the sender to try again. */
    NO_RECEIVE,
    /** A datagram, or a message of an unreliable connection, that is longer than the posted receive. */
    RECEIVE_TOO_SHORT,
    /** An answer to a READ or atomic that was already taken, or that nobody waits for. */
    STALE_RESPONSE,
    /** A request behind a missing one; answered once. */
    EARLY_REQUEST,
    /** A packet of a SEND or WRITE that was taken before; acknowledged again. */
    REPEATED_REQUEST,
    /** A repeated READ or atomic that is no longer valid or known. */
    STALE_REQUEST,
    /** More READs and atomics at a time than the queue pair answers. */
    TOO_MANY_READS,
    /** An acknowledgement that says nothing new. */
    IDLE_ACKNOWLEDGE,
    /** A packet of an unreliable connection's message of which an earlier one is missing, or that is a repeated one. */
    INCOMPLETE_MESSAGE,
    /** A message of an unreliable connection that breaks the protocol or may not write where it wants to. */
    REFUSED_MESSAGE
}
