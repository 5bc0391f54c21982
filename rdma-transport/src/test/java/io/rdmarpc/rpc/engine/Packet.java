package io.rdmarpc.rpc.engine;

import io.rdmarpc.rpc.engine.session.EngineSession;
import io.rdmarpc.rpc.error.RdmaErrorDetails;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.wire.BatchFormat;
import io.rdmarpc.rpc.wire.FailureText;
import io.rdmarpc.rpc.wire.PacketHeader;
import io.rdmarpc.rpc.wire.PacketType;
import io.rdmarpc.rpc.wire.ReadDescriptor;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/** A parsed datagram of the protocol, or one to be built for an engine to receive. */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record Packet(
        int type,
        int status,
        int flags,
        int session,
        long cookie,
        long index,
        int method,
        int length,
        long remainingMicros,
        byte[] body) {

    private static final long ONE_MINUTE_MICROS = 60_000_000;

    /** Parses a datagram; its body follows the header. */
    public static Packet of(byte[] bytes) {
        MemorySegment memory = MemorySegment.ofArray(bytes);
        long first = PacketHeader.first(memory, 0);
        long last = PacketHeader.last(memory, 0);
        int flags = PacketHeader.flags(first);
        int headerBytes = PacketHeader.bytes(flags);
        return new Packet(
                PacketHeader.type(first),
                PacketHeader.status(first),
                flags,
                PacketHeader.session(first),
                PacketHeader.cookie(memory, 0),
                PacketHeader.requestIndex(memory, 0),
                PacketHeader.methodId(last),
                PacketHeader.length(last),
                (flags & PacketHeader.FLAG_DEADLINE) != 0 ? PacketHeader.remainingMicros(memory, 0) : -1,
                memory.asSlice(headerBytes).toArray(ValueLayout.JAVA_BYTE));
    }

    /** Returns a request with a remaining time of one minute. */
    static Packet request(EngineSession to, long index, int method, byte[] body) {
        return new Packet(
                PacketType.REQUEST,
                0,
                PacketHeader.FLAG_DEADLINE,
                to.id,
                to.cookie,
                index,
                method,
                body.length,
                ONE_MINUTE_MICROS,
                body);
    }

    /** Returns a request that has to be READ. */
    static Packet largeRequest(EngineSession to, long index, int method, int length, long address, int rkey) {
        return request(to, index, method, descriptor(address, rkey))
                .withType(PacketType.LARGE_REQUEST)
                .withLength(length);
    }

    static Packet release(EngineSession to, long index) {
        return plain(PacketType.RELEASE, to, index, new byte[0]);
    }

    static Packet cancel(EngineSession to, long index) {
        return plain(PacketType.CANCEL, to, index, new byte[0]);
    }

    static Packet response(EngineSession to, long index, byte[] body) {
        return plain(PacketType.RESPONSE, to, index, body);
    }

    static Packet failure(EngineSession to, long index, RpcStatus status, String type, String text) {
        MemorySegment body = MemorySegment.ofArray(new byte[512]);
        int length = new FailureText(type, text).write(body);
        return response(to, index, body.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE))
                .withStatus(status.code());
    }

    static Packet failure(EngineSession to, long index, RpcStatus status, String text, RdmaErrorDetails details) {
        MemorySegment body = MemorySegment.ofArray(new byte[512]);
        int length = FailureText.of("", text, details, 512).write(body);
        return response(to, index, body.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE))
                .withStatus(status.code());
    }

    /** Returns the response of a stopping server that has not run the call. */
    static Packet notRun(EngineSession to, long index, String text) {
        return failure(to, index, RpcStatus.UNAVAILABLE, "", text).withFlags(PacketHeader.FLAG_NOT_RUN);
    }

    boolean saysNotRun() {
        return type == PacketType.RESPONSE && (flags & PacketHeader.FLAG_NOT_RUN) != 0;
    }

    static Packet largeResponse(EngineSession to, long index, int length, long address, int rkey) {
        return plain(PacketType.LARGE_RESPONSE, to, index, descriptor(address, rkey))
                .withLength(length);
    }

    static Packet progress(EngineSession to, long index, boolean requestRead) {
        Packet progress = plain(PacketType.PROGRESS, to, index, new byte[0]);
        return requestRead ? progress.withFlags(PacketHeader.FLAG_REQUEST_READ) : progress;
    }

    private static Packet plain(int type, EngineSession to, long index, byte[] body) {
        return new Packet(type, 0, 0, to.id, to.cookie, index, 0, body.length, -1, body);
    }

    private static byte[] descriptor(long address, int rkey) {
        byte[] bytes = new byte[ReadDescriptor.BYTES];
        ReadDescriptor.write(MemorySegment.ofArray(bytes), 0, address, rkey);
        return bytes;
    }

    public Packet withType(int newType) {
        return new Packet(newType, status, flags, session, cookie, index, method, length, remainingMicros, body);
    }

    public Packet withStatus(int newStatus) {
        return new Packet(type, newStatus, flags, session, cookie, index, method, length, remainingMicros, body);
    }

    public Packet withFlags(int newFlags) {
        return new Packet(type, status, newFlags, session, cookie, index, method, length, remainingMicros, body);
    }

    public Packet withMethod(int newMethod) {
        return new Packet(type, status, flags, session, cookie, index, newMethod, length, remainingMicros, body);
    }

    public Packet withSession(int newSession) {
        return new Packet(type, status, flags, newSession, cookie, index, method, length, remainingMicros, body);
    }

    public Packet withCookie(long newCookie) {
        return new Packet(type, status, flags, session, newCookie, index, method, length, remainingMicros, body);
    }

    public Packet withIndex(long newIndex) {
        return new Packet(type, status, flags, session, cookie, newIndex, method, length, remainingMicros, body);
    }

    public Packet withLength(int newLength) {
        return new Packet(type, status, flags, session, cookie, index, method, newLength, remainingMicros, body);
    }

    Packet withRemainingMicros(long newMicros) {
        return new Packet(type, status, flags, session, cookie, index, method, length, newMicros, body);
    }

    /** Returns the datagram. */
    public byte[] bytes() {
        int headerBytes = PacketHeader.bytes(flags);
        byte[] bytes = new byte[headerBytes + body.length];
        MemorySegment memory = MemorySegment.ofArray(bytes);
        PacketHeader.write(memory, 0, type, status, flags, session, cookie, index, method, length);
        if (headerBytes > PacketHeader.BYTES) {
            PacketHeader.writeDeadline(memory, 0, remainingMicros);
        }
        System.arraycopy(body, 0, bytes, headerBytes, body.length);
        return bytes;
    }

    /** Returns a datagram of several messages. */
    static byte[] batch(Packet... packets) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int i = 0; i < packets.length; i++) {
            byte[] bytes = packets[i].bytes();
            boolean last = i == packets.length - 1;
            if (!last) {
                BatchFormat.markFollowed(MemorySegment.ofArray(bytes), 0);
            }
            out.writeBytes(last ? bytes : Arrays.copyOf(bytes, BatchFormat.padded(bytes.length)));
        }
        return out.toByteArray();
    }

    FailureText failureText() {
        return FailureText.read(MemorySegment.ofArray(body));
    }

    /** Returns the address from which the receiver READs. */
    public long remoteAddress() {
        return ReadDescriptor.address(MemorySegment.ofArray(body), 0);
    }

    /** Returns the key for that READ. */
    public int rkey() {
        return ReadDescriptor.rkey(MemorySegment.ofArray(body), 0);
    }

    boolean saysRequestRead() {
        return (flags & PacketHeader.FLAG_REQUEST_READ) != 0;
    }
}
