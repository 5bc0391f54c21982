package io.rdmarpc.rpc.wire;

import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.transport.RcEndpoint;
import io.rdmarpc.transport.UdEndpoint;
import io.rdmarpc.verbs.Gid;
import io.rdmarpc.verbs.PathMtu;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInput;
import java.io.DataInputStream;
import java.io.DataOutput;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The bytes of control messages, big-endian.
 *
 * <pre>
 *   frame    length u32 (of type and body, 1 to 1 MiB) | type u8 | body
 *   text     length u16 | UTF-8
 *   ud       gid 16 B | lid u16 | qpn u32 | qkey u32
 *   rc       gid 16 B | lid u16 | qpn u32 | psn u32 | max reads u16
 *
 *    1 HELLO     magic u64 "RDMA-RPC" | version u16 | provider text | ud | session u32 | window u16 | mtu u8
 *                | max message u32 | heartbeat time-out ms u32
 *    2 WELCOME   version u16 | ud | session u32 | cookie u64 | window u16 | mtu u8 | max message u32
 *                | heartbeat time-out ms u32
 *    3 REFUSAL   code u8 | reason text
 *    4 VERIFY    number u32 | service text | methods u16 x (id u32 | signature text) | types u16 x (name, shape text)
 *    5 VERDICT   number u32 | difference text
 *    6 RC_WANTED -      7 RC_OFFER rc      8 RC_ANSWER rc      9 RC_READY -
 *   10 HEARTBEAT -     11 GOODBYE reason text
 * </pre>
 *
 * Whatever a peer sends, decoding ends in a message or an {@link IOException} that says what is wrong.
 */
public final class ControlCodec {

    /** Longest frame, type included. */
    public static final int MAX_FRAME_BYTES = 1 << 20;

    /** The first bytes of a conversation: "RDMA-RPC". */
    public static final long MAGIC = 0x52444D412D525043L;

    /** The newest version this code speaks. */
    public static final int VERSION = 1;

    private static final int HELLO = 1;
    private static final int WELCOME = 2;
    private static final int REFUSAL = 3;
    private static final int VERIFY = 4;
    private static final int VERDICT = 5;
    private static final int RC_WANTED = 6;
    private static final int RC_OFFER = 7;
    private static final int RC_ANSWER = 8;
    private static final int RC_READY = 9;
    private static final int HEARTBEAT = 10;
    private static final int GOODBYE = 11;

    private ControlCodec() {}

    /**
     * Encodes a message with its frame.
     *
     * @param message what to send
     * @return the bytes, frame length included
     */
    public static byte[] encode(ControlMessage message) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(128);
        DataOutputStream out = new DataOutputStream(bytes);
        try {
            out.writeInt(0);
            writeMessage(out, message);
        } catch (IOException e) {
            throw new AssertionError("a byte array takes all bytes", e);
        }
        byte[] frame = bytes.toByteArray();
        int length = frame.length - Integer.BYTES;
        if (length > MAX_FRAME_BYTES) {
            throw new IllegalArgumentException(
                    "a control message of " + length + " bytes is over the limit of " + MAX_FRAME_BYTES);
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
            case ControlMessage.Refusal(ControlMessage.RefusalCode code, String reason) -> {
                out.writeByte(REFUSAL);
                out.writeByte(code.code());
                writeText(out, reason);
            }
            case ControlMessage.Verify(int number, ServiceContract contract) -> {
                out.writeByte(VERIFY);
                out.writeInt(number);
                writeContract(out, contract);
            }
            case ControlMessage.Verdict(int number, String difference) -> {
                out.writeByte(VERDICT);
                out.writeInt(number);
                writeText(out, difference);
            }
            case ControlMessage.RcWanted() -> out.writeByte(RC_WANTED);
            case ControlMessage.RcOffer(RcEndpoint endpoint) -> {
                out.writeByte(RC_OFFER);
                writeRc(out, endpoint);
            }
            case ControlMessage.RcAnswer(RcEndpoint endpoint) -> {
                out.writeByte(RC_ANSWER);
                writeRc(out, endpoint);
            }
            case ControlMessage.RcReady() -> out.writeByte(RC_READY);
            case ControlMessage.Heartbeat() -> out.writeByte(HEARTBEAT);
            case ControlMessage.Goodbye(String reason) -> {
                out.writeByte(GOODBYE);
                writeText(out, reason);
            }
        }
    }

    private static void writeHello(DataOutput out, ControlMessage.Hello hello) throws IOException {
        out.writeByte(HELLO);
        out.writeLong(MAGIC);
        out.writeShort(hello.version());
        writeText(out, hello.provider());
        writeUd(out, hello.endpoint());
        out.writeInt(hello.session());
        out.writeShort(hello.window());
        out.writeByte(hello.mtu().code());
        out.writeInt(hello.maxMessageBytes());
        out.writeInt(hello.heartbeatTimeoutMillis());
    }

    private static void writeWelcome(DataOutput out, ControlMessage.Welcome welcome) throws IOException {
        out.writeByte(WELCOME);
        out.writeShort(welcome.version());
        writeUd(out, welcome.endpoint());
        out.writeInt(welcome.session());
        out.writeLong(welcome.cookie());
        out.writeShort(welcome.window());
        out.writeByte(welcome.mtu().code());
        out.writeInt(welcome.maxMessageBytes());
        out.writeInt(welcome.heartbeatTimeoutMillis());
    }

    private static void writeContract(DataOutput out, ServiceContract contract) throws IOException {
        writeText(out, contract.name());
        writeCount(out, contract.methods().size());
        for (ServiceContract.Method method : contract.methods()) {
            out.writeInt(method.id());
            writeText(out, method.signature());
        }
        writeCount(out, contract.types().size());
        for (ServiceContract.Type type : contract.types()) {
            writeText(out, type.name());
            writeText(out, type.shape());
        }
    }

    private static void writeCount(DataOutput out, int count) throws IOException {
        if (count > 0xFFFF) {
            throw new IllegalArgumentException("a contract of " + count + " methods or types: at most 65535 travel");
        }
        out.writeShort(count);
    }

    private static void writeGid(DataOutput out, Gid gid) throws IOException {
        out.writeLong(gid.high());
        out.writeLong(gid.low());
    }

    private static void writeUd(DataOutput out, UdEndpoint endpoint) throws IOException {
        writeGid(out, endpoint.gid());
        out.writeShort(endpoint.lid());
        out.writeInt(endpoint.qpn());
        out.writeInt(endpoint.qkey());
    }

    private static void writeRc(DataOutput out, RcEndpoint endpoint) throws IOException {
        writeGid(out, endpoint.gid());
        out.writeShort(endpoint.lid());
        out.writeInt(endpoint.qpn());
        out.writeInt(endpoint.psn());
        out.writeShort(endpoint.maxReads());
    }

    private static void writeText(DataOutput out, String text) throws IOException {
        byte[] bytes = FailureText.cut(text, 0xFFFF);
        out.writeShort(bytes.length);
        out.write(bytes);
    }

    /**
     * Reads one message.
     *
     * @param in the peer's bytes
     * @return the message
     * @throws EOFException when the peer has closed
     * @throws IOException when the bytes are not a message, with what is wrong
     */
    public static ControlMessage read(DataInputStream in) throws IOException {
        int length = in.readInt();
        if (length < 1 || length > MAX_FRAME_BYTES) {
            throw new IOException("a control frame of " + length + " bytes: 1 to " + MAX_FRAME_BYTES
                    + " are allowed, so the peer does not speak this protocol");
        }
        byte[] frame = in.readNBytes(length);
        if (frame.length < length) {
            throw new EOFException("the peer closed in the middle of a control frame");
        }
        return decode(frame);
    }

    /**
     * Decodes a frame.
     *
     * @param frame type and body
     * @return the message
     * @throws IOException when the bytes are not a message, with what is wrong
     */
    public static ControlMessage decode(byte[] frame) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(frame));
        try {
            ControlMessage message = readMessage(in);
            if (in.available() > 0) {
                throw new IOException(in.available() + " bytes too many in control message " + message);
            }
            return message;
        } catch (EOFException e) {
            throw new IOException("a control message of " + frame.length + " bytes is too short for its type", e);
        } catch (IllegalArgumentException e) {
            throw new IOException("a control message is wrong: " + e.getMessage(), e);
        }
    }

    private static ControlMessage readMessage(DataInput in) throws IOException {
        int type = in.readUnsignedByte();
        return switch (type) {
            case HELLO -> readHello(in);
            case WELCOME ->
                new ControlMessage.Welcome(
                        in.readUnsignedShort(),
                        readUd(in),
                        in.readInt(),
                        in.readLong(),
                        in.readUnsignedShort(),
                        PathMtu.of(in.readUnsignedByte()),
                        in.readInt(),
                        in.readInt());
            case REFUSAL ->
                new ControlMessage.Refusal(ControlMessage.RefusalCode.of(in.readUnsignedByte()), readText(in));
            case VERIFY -> new ControlMessage.Verify(in.readInt(), readContract(in));
            case VERDICT -> new ControlMessage.Verdict(in.readInt(), readText(in));
            case RC_WANTED -> new ControlMessage.RcWanted();
            case RC_OFFER -> new ControlMessage.RcOffer(readRc(in));
            case RC_ANSWER -> new ControlMessage.RcAnswer(readRc(in));
            case RC_READY -> new ControlMessage.RcReady();
            case HEARTBEAT -> new ControlMessage.Heartbeat();
            case GOODBYE -> new ControlMessage.Goodbye(readText(in));
            default -> throw new IOException("unknown control message type " + type);
        };
    }

    private static ControlMessage readHello(DataInput in) throws IOException {
        long magic = in.readLong();
        if (magic != MAGIC) {
            throw new IOException("wrong magic number 0x" + Long.toHexString(magic) + ": the peer is not rdma-rpc");
        }
        return new ControlMessage.Hello(
                in.readUnsignedShort(),
                readText(in),
                readUd(in),
                in.readInt(),
                in.readUnsignedShort(),
                PathMtu.of(in.readUnsignedByte()),
                in.readInt(),
                in.readInt());
    }

    private static ServiceContract readContract(DataInput in) throws IOException {
        String name = readText(in);
        int methodCount = in.readUnsignedShort();
        List<ServiceContract.Method> methods = new ArrayList<>();
        for (int i = 0; i < methodCount; i++) {
            methods.add(new ServiceContract.Method(in.readInt(), readText(in)));
        }
        int typeCount = in.readUnsignedShort();
        List<ServiceContract.Type> types = new ArrayList<>();
        for (int i = 0; i < typeCount; i++) {
            types.add(new ServiceContract.Type(readText(in), readText(in)));
        }
        return new ServiceContract(name, methods, types);
    }

    private static Gid readGid(DataInput in) throws IOException {
        return new Gid(in.readLong(), in.readLong());
    }

    private static UdEndpoint readUd(DataInput in) throws IOException {
        return new UdEndpoint(readGid(in), in.readUnsignedShort(), in.readInt(), in.readInt());
    }

    private static RcEndpoint readRc(DataInput in) throws IOException {
        return new RcEndpoint(readGid(in), in.readUnsignedShort(), in.readInt(), in.readInt(), in.readUnsignedShort());
    }

    private static String readText(DataInput in) throws IOException {
        byte[] bytes = new byte[in.readUnsignedShort()];
        in.readFully(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
