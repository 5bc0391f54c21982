package io.rdmarpc.rpc.engine;

import io.rdmarpc.rpc.wire.PacketHeader;
import io.rdmarpc.verbs.ffi.NativeWords;
import java.lang.foreign.MemorySegment;

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

    /** Reads what is behind the header's first word, which was read there before. */
    void readRest(MemorySegment memory, long at, boolean limited) {
        int bytes = limited ? PacketHeader.BYTES + PacketHeader.DEADLINE_BYTES : PacketHeader.BYTES;
        long address = PacketHeader.address(memory, at, bytes);
        long last;
        if (address != 0) {
            cookie = NativeWords.getLong(address + PacketHeader.COOKIE_AT);
            requestIndex = NativeWords.getLong(address + PacketHeader.REQUEST_INDEX_AT);
            last = NativeWords.getLong(address + PacketHeader.LAST_AT);
            remainingMicros = limited ? NativeWords.getLong(address + PacketHeader.BYTES) : Long.MAX_VALUE;
        } else {
            cookie = PacketHeader.cookie(memory, at);
            requestIndex = PacketHeader.requestIndex(memory, at);
            last = PacketHeader.last(memory, at);
            remainingMicros = limited ? PacketHeader.remainingMicros(memory, at) : Long.MAX_VALUE;
        }
        methodId = PacketHeader.methodId(last);
        length = PacketHeader.length(last);
    }

    boolean hasMetadata() {
        return (flags & PacketHeader.FLAG_METADATA) != 0;
    }
}
