package io.rdmarpc.rpc.wire;

import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.error.SessionRejectReason;
import io.rdmarpc.transport.RcEndpoint;
import io.rdmarpc.verbs.PeerText;
import io.rdmarpc.verbs.attributes.PathMtu;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInput;
import java.io.DataInputStream;
import java.io.DataOutput;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;

/**
 * The encoding of control messages, big-endian.
 *
 * <pre>
 *   frame    length u32 (of type and body, 1 to 1 MiB) | type u8 | body
 *   text     length u16 | UTF-8
 *   ud       gid 16 B | lid u16 | qpn u32 | qkey u32
 *   rc       gid 16 B | lid u16 | requester: qpn u32, psn u32 | responder: qpn u32, psn u32 | max reads u16
 *
 *   of the connection
 *    1 HELLO     magic u64 "RDMA-RPC" | version u16 | heartbeat timeout ms u32 | process 16 B | nonce 32 B
 *    2 WELCOME   version u16 | heartbeat timeout ms u32 | process 16 B | nonce 32 B | proof wanted u8 (0, 1)
 *              | providers text
 *    3 REJECTION reason u8 | detail text
 *    4 PROOF     mac 32 B         5 PROVEN    mac 32 B
 *    6 HEARTBEAT -                7 GOODBYE   reason text
 *    8 VERIFY    number u32 | service text | methods u16 x (id u32 | signature text) | types u16 x (name, shape text)
 *    9 VERDICT   number u32 | difference text
 *
 *   of a session
 *   16 OPEN      link u32 | token 16 B | provider text | ud | session u32 | window u16 | mtu u8 | max message u32
 *              | fallback u8 (0, 1)
 *   17 OPENED    link u32 | ud | session u32 | cookie u64 | window u16 | mtu u8 | max message u32
 *   18 REJECTED  link u32 | reason u8 | detail text
 *   19 CLOSE     link u32 | reason text
 *   20 RC_WANTED link u32        21 RC_OFFER  link u32 | rc
 *   22 RC_RESPONSE  link u32 | rc
 *   23 RC_READY     link u32
 *   24 DRAINING  link u32 | slots u16 (1 to 256) x last request index u64
 *   25 REOPEN    link u32
 * </pre>
 *
 * HELLO and REJECTION keep their numbers and first fields in all versions. A peer of another version can therefore be
 * rejected with a reason. Text for people is {@linkplain PeerText sanitized} when it is read. For any bytes, decoding
 * either returns a message or throws an {@link IOException} that describes the fault.
 */
public final class ControlCodec {

    /** Longest frame, type included. */
    public static final int MAX_FRAME_BYTES = 1 << 20;

    /** The first bytes that a client sends: "RDMA-RPC". */
    public static final long MAGIC = 0x52444D412D525043L;

    /** The newest version that this code supports. Version 5 has details of failures, see {@link FailureText}. */
    public static final int VERSION = 5;

    /** The oldest version that this code supports. */
    public static final int OLDEST_VERSION = 4;

    private static final int HELLO = 1;
    private static final int WELCOME = 2;
    private static final int REJECTION = 3;
    private static final int PROOF = 4;
    private static final int PROVEN = 5;
    private static final int HEARTBEAT = 6;
    private static final int GOODBYE = 7;
    private static final int VERIFY = 8;
    private static final int VERDICT = 9;
    private static final int OPEN = 16;
    private static final int OPENED = 17;
    private static final int REJECTED = 18;
    private static final int CLOSE = 19;
    private static final int RC_WANTED = 20;
    private static final int RC_OFFER = 21;
    private static final int RC_RESPONSE = 22;
    private static final int RC_READY = 23;
    private static final int DRAINING = 24;
    private static final int REOPEN = 25;

    private ControlCodec() {}

    /**
     * Encodes a message with its frame.
     *
     * @param message the message
     * @return the bytes, frame length included
     */
    public static byte[] encode(ControlMessage message) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(128);
        DataOutputStream out = new DataOutputStream(bytes);
        try {
            out.writeInt(0);
            writeMessage(out, message);
        } catch (IOException e) {
            throw new AssertionError("a byte array stream does not throw", e);
        }
        byte[] frame = bytes.toByteArray();
        int length = frame.length - Integer.BYTES;
        if (length > MAX_FRAME_BYTES) {
            throw new IllegalArgumentException(
                    "a control message of " + length + " bytes exceeds the limit of " + MAX_FRAME_BYTES);
        }
        for (int i = 0; i < Integer.BYTES; i++) {
            frame[i] = (byte) (length >>> (24 - 8 * i));
        }
        return frame;
    }

    private static void writeMessage(DataOutput out, ControlMessage message) throws IOException {
        switch (message) {
            case ControlMessage.Hello hello -> writeHello(out, hello);
            case ControlMessage.Welcome welcome -> writeWelcome(out, welcome);
            case ControlMessage.Rejection(SessionRejectReason reason, String detail) -> {
                out.writeByte(REJECTION);
                out.writeByte(reason.code());
                ControlFields.writeText(out, detail);
            }
            case ControlMessage.Proof(Mac mac) -> {
                out.writeByte(PROOF);
                out.write(mac.bytes());
            }
            case ControlMessage.Proven(Mac mac) -> {
                out.writeByte(PROVEN);
                out.write(mac.bytes());
            }
            case ControlMessage.Heartbeat() -> out.writeByte(HEARTBEAT);
            case ControlMessage.Goodbye(String reason) -> {
                out.writeByte(GOODBYE);
                ControlFields.writeText(out, reason);
            }
            case ControlMessage.Verify(int number, ServiceContract contract) -> {
                out.writeByte(VERIFY);
                out.writeInt(number);
                ControlFields.writeContract(out, contract);
            }
            case ControlMessage.Verdict(int number, String difference) -> {
                out.writeByte(VERDICT);
                out.writeInt(number);
                ControlFields.writeText(out, difference);
            }
            case ControlMessage.OfSession ofSession -> writeOfSession(out, ofSession);
        }
    }

    private static void writeOfSession(DataOutput out, ControlMessage.OfSession message) throws IOException {
        out.writeByte(typeOf(message));
        out.writeInt(message.link());
        switch (message) {
            case ControlMessage.Open open -> writeOpen(out, open);
            case ControlMessage.Opened opened -> writeOpened(out, opened);
            case ControlMessage.Rejected(int link, SessionRejectReason reason, String detail) -> {
                out.writeByte(reason.code());
                ControlFields.writeText(out, detail);
            }
            case ControlMessage.Close(int link, String reason) -> ControlFields.writeText(out, reason);
            case ControlMessage.RcOffer(int link, RcEndpoint endpoint) -> ControlFields.writeRc(out, endpoint);
            case ControlMessage.RcResponse(int link, RcEndpoint endpoint) -> ControlFields.writeRc(out, endpoint);
            case ControlMessage.RcWanted(int link) -> {}
            case ControlMessage.RcReady(int link) -> {}
            case ControlMessage.Draining(int link, long[] lasts) -> ControlFields.writeIndexes(out, lasts);
            case ControlMessage.Reopen(int link) -> {}
        }
    }

    private static int typeOf(ControlMessage.OfSession message) {
        return switch (message) {
            case ControlMessage.Open open -> OPEN;
            case ControlMessage.Opened opened -> OPENED;
            case ControlMessage.Rejected rejected -> REJECTED;
            case ControlMessage.Close close -> CLOSE;
            case ControlMessage.RcWanted wanted -> RC_WANTED;
            case ControlMessage.RcOffer offer -> RC_OFFER;
            case ControlMessage.RcResponse response -> RC_RESPONSE;
            case ControlMessage.RcReady ready -> RC_READY;
            case ControlMessage.Draining draining -> DRAINING;
            case ControlMessage.Reopen reopen -> REOPEN;
        };
    }

    private static void writeHello(DataOutput out, ControlMessage.Hello hello) throws IOException {
        out.writeByte(HELLO);
        out.writeLong(MAGIC);
        out.writeShort(hello.version());
        out.writeInt(hello.heartbeatTimeoutMillis());
        ControlFields.writeId(out, hello.process());
        out.write(hello.nonce().bytes());
    }

    private static void writeWelcome(DataOutput out, ControlMessage.Welcome welcome) throws IOException {
        out.writeByte(WELCOME);
        out.writeShort(welcome.version());
        out.writeInt(welcome.heartbeatTimeoutMillis());
        ControlFields.writeId(out, welcome.process());
        out.write(welcome.nonce().bytes());
        out.writeByte(welcome.proofWanted() ? 1 : 0);
        ControlFields.writeText(out, welcome.providers());
    }

    private static void writeOpen(DataOutput out, ControlMessage.Open open) throws IOException {
        ControlFields.writeId(out, open.token());
        ControlFields.writeText(out, open.provider());
        ControlFields.writeUd(out, open.endpoint());
        out.writeInt(open.session());
        out.writeShort(open.window());
        out.writeByte(open.mtu().code());
        out.writeInt(open.maxMessageBytes());
        out.writeByte(open.fallback() ? 1 : 0);
    }

    private static void writeOpened(DataOutput out, ControlMessage.Opened opened) throws IOException {
        ControlFields.writeUd(out, opened.endpoint());
        out.writeInt(opened.session());
        out.writeLong(opened.cookie());
        out.writeShort(opened.window());
        out.writeByte(opened.mtu().code());
        out.writeInt(opened.maxMessageBytes());
    }

    /**
     * Checks the length of a frame.
     *
     * @param length length of type and body in bytes
     * @throws IOException if the length is not allowed
     */
    public static void checkLength(int length) throws IOException {
        if (length < 1 || length > MAX_FRAME_BYTES) {
            throw new IOException("a control frame of " + length + " bytes: the length must be 1 to " + MAX_FRAME_BYTES
                    + ". The peer does not use this protocol");
        }
    }

    /**
     * Decodes a frame.
     *
     * @param frame type and body
     * @return the message
     * @throws IOException if the bytes are not a message, with a description of the fault
     */
    public static ControlMessage decode(byte[] frame) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(frame));
        try {
            ControlMessage message = readMessage(in);
            if (in.available() > 0) {
                throw new IOException(in.available() + " bytes too many in control message " + message.describe());
            }
            return message;
        } catch (EOFException e) {
            throw new IOException("a control message of " + frame.length + " bytes is too short for its type", e);
        } catch (IllegalArgumentException e) {
            throw new IOException("invalid control message: " + e.getMessage(), e);
        }
    }

    private static ControlMessage readMessage(DataInputStream in) throws IOException {
        int type = in.readUnsignedByte();
        return switch (type) {
            case HELLO -> readHello(in);
            case WELCOME ->
                new ControlMessage.Welcome(
                        in.readUnsignedShort(),
                        in.readInt(),
                        ControlFields.readId(in),
                        new Nonce(ControlFields.readRandom(in)),
                        ControlFields.readFlag(in),
                        ControlFields.readCleanText(in));
            case REJECTION ->
                new ControlMessage.Rejection(
                        SessionRejectReason.of(in.readUnsignedByte()), ControlFields.readDetail(in));
            case PROOF -> new ControlMessage.Proof(new Mac(ControlFields.readRandom(in)));
            case PROVEN -> new ControlMessage.Proven(new Mac(ControlFields.readRandom(in)));
            case HEARTBEAT -> new ControlMessage.Heartbeat();
            case GOODBYE -> new ControlMessage.Goodbye(ControlFields.readCleanText(in));
            case VERIFY -> new ControlMessage.Verify(in.readInt(), ControlFields.readContract(in));
            case VERDICT -> new ControlMessage.Verdict(in.readInt(), ControlFields.readDetail(in));
            default -> readOfSession(type, in);
        };
    }

    private static ControlMessage readOfSession(int type, DataInput in) throws IOException {
        if (type < OPEN || type > REOPEN) {
            throw new IOException("unknown control message type " + type);
        }
        int link = in.readInt();
        return switch (type) {
            case OPEN ->
                new ControlMessage.Open(
                        link,
                        ControlFields.readId(in),
                        ControlFields.readCleanText(in),
                        ControlFields.readUd(in),
                        in.readInt(),
                        in.readUnsignedShort(),
                        PathMtu.of(in.readUnsignedByte()),
                        in.readInt(),
                        ControlFields.readFlag(in));
            case OPENED ->
                new ControlMessage.Opened(
                        link,
                        ControlFields.readUd(in),
                        in.readInt(),
                        in.readLong(),
                        in.readUnsignedShort(),
                        PathMtu.of(in.readUnsignedByte()),
                        in.readInt());
            case REJECTED ->
                new ControlMessage.Rejected(
                        link, SessionRejectReason.of(in.readUnsignedByte()), ControlFields.readDetail(in));
            case CLOSE -> new ControlMessage.Close(link, ControlFields.readCleanText(in));
            case RC_WANTED -> new ControlMessage.RcWanted(link);
            case RC_OFFER -> new ControlMessage.RcOffer(link, ControlFields.readRc(in));
            case RC_RESPONSE -> new ControlMessage.RcResponse(link, ControlFields.readRc(in));
            case RC_READY -> new ControlMessage.RcReady(link);
            case DRAINING -> new ControlMessage.Draining(link, ControlFields.readIndexes(in));
            default -> new ControlMessage.Reopen(link);
        };
    }

    /** For another version only the number is defined; the remaining bytes are ignored. */
    private static ControlMessage readHello(DataInputStream in) throws IOException {
        long magic = in.readLong();
        if (magic != MAGIC) {
            throw new IOException("wrong magic number 0x" + Long.toHexString(magic) + ": the peer is not rdma-rpc");
        }
        int version = in.readUnsignedShort();
        if (version < OLDEST_VERSION) {
            in.skipNBytes(in.available());
            return new ControlMessage.Hello(version, 0, new Id128(0, 0), new Nonce(new byte[Nonce.BYTES]));
        }
        ControlMessage.Hello hello = new ControlMessage.Hello(
                version, in.readInt(), ControlFields.readId(in), new Nonce(ControlFields.readRandom(in)));
        if (version > VERSION) {
            in.skipNBytes(in.available());
        }
        return hello;
    }
}
