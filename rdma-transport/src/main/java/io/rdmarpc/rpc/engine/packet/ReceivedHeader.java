package io.rdmarpc.rpc.engine.packet;

import io.rdmarpc.rpc.wire.PacketHeader;

/** A packet's header after its checks; one object per engine, valid during one dispatch. */
public final class ReceivedHeader {

    public int entry;
    public int type;
    /** Its message is to be READ. */
    public boolean large;

    public int status;
    public int flags;
    public int session;
    public long cookie;
    public long requestIndex;
    public int methodId;
    /** Bytes of the message, in the packet or to be READ. */
    public int length;
    /** Where the message starts in the receive ring; for small ones. */
    public long payloadAt;
    /** Bytes of the message in this packet. */
    public int payloadBytes;
    /** Where the next message of the packet begins, counted from this one; -1 when it is the last. */
    public int nextAt;
    /** The caller's remaining time, {@link Long#MAX_VALUE} when there is no limit. */
    public long remainingMicros;
    /** Where a large message is READ from. */
    public long remoteAddress;
    /** Its key. */
    public int rkey;

    public boolean hasMetadata() {
        return (flags & PacketHeader.FLAG_METADATA) != 0;
    }
}
