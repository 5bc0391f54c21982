package io.rdmarpc.rpc.engine.packet;

import io.rdmarpc.rpc.wire.PacketHeader;

/** A packet's header after its checks. Each engine has one such object, which is valid during one dispatch. */
public final class ReceivedHeader {

    public int entry;
    public int type;
    /** Whether its message has to be READ. */
    public boolean large;

    public int status;
    public int flags;
    public int session;
    public long cookie;
    public long requestIndex;
    public int methodId;
    /** Number of bytes of the message, in the packet or to be READ. */
    public int length;
    /** Offset of a small message in the receive ring. */
    public long payloadAt;
    /** Number of bytes of the message in this packet. */
    public int payloadBytes;
    /** Offset of the packet's next message, relative to this one; -1 for the last message. */
    public int nextAt;
    /** The time that remains until the caller's deadline; {@link Long#MAX_VALUE} without a deadline. */
    public long remainingMicros;
    /** Address from which a large message is READ. */
    public long remoteAddress;
    /** Key for that READ. */
    public int rkey;

    public boolean hasMetadata() {
        return (flags & PacketHeader.FLAG_METADATA) != 0;
    }
}
