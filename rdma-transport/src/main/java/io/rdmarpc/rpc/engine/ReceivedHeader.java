package io.rdmarpc.rpc.engine;

import io.rdmarpc.rpc.wire.PacketHeader;

/** A packet's header after its checks; one object per engine, valid during one dispatch. */
final class ReceivedHeader {

    int entry;
    int type;
    /** Its message is to be READ. */
    boolean large;

    int status;
    int flags;
    int session;
    long cookie;
    long requestIndex;
    int methodId;
    /** Bytes of the message, in the packet or to be READ. */
    int length;
    /** Where the message starts in the receive ring; for small ones. */
    long payloadAt;
    /** Bytes of the message in this packet. */
    int payloadBytes;
    /** Where the next message of the packet begins, counted from this one; -1 when it is the last. */
    int nextAt;
    /** The caller's remaining time, {@link Long#MAX_VALUE} when there is no limit. */
    long remainingMicros;
    /** Where a large message is READ from. */
    long remoteAddress;
    /** Its key. */
    int rkey;

    boolean hasMetadata() {
        return (flags & PacketHeader.FLAG_METADATA) != 0;
    }
}
