package io.rdmarpc.verbs.connect;

import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.attributes.PathMtu;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * One end of a connection. The two ends exchange their endpoints by any means, such as a socket or a file.
 *
 * <pre>
 *   byte 0       4        5    6          7          8    12   16   18        20   36     big-endian
 *        "RDQP"  version  mtu  initiator  responder  qpn  psn  lid  reserved  gid
 * </pre>
 *
 * The short form has no PSN, path MTU and READs. It is the form of nexar-rdma, whose users start at PSN 0 and agree on
 * the other values beforehand:
 *
 * <pre>
 *   byte 0    4    6    22     little-endian; the GID in network order
 *        qpn  lid  gid
 * </pre>
 *
 * @param gid its source GID
 * @param lid its LID; for a software RNIC its UDP port, or 0 for port 4791
 * @param qpn its queue pair, 24 bits
 * @param psn its first packet sequence number, 24 bits
 * @param pathMtu its maximum path MTU
 * @param maxReadsAsInitiator maximum number of READs and atomics that it has outstanding, 0 to 255
 * @param maxReadsAsResponder maximum number of READs and atomics that it serves at a time, 0 to 255
 */
public record QueuePairEndpoint(
        Gid gid, int lid, int qpn, int psn, PathMtu pathMtu, int maxReadsAsInitiator, int maxReadsAsResponder) {

    /** The version of the encoded form. */
    public static final int VERSION = 1;

    /** Length of the encoded form in bytes. */
    public static final int BYTES = 36;

    /** Length of the short form in bytes. */
    public static final int SHORT_BYTES = 22;

    private static final int MAGIC = 0x52_44_51_50;
    private static final int BITS_8 = 0xFF;
    private static final int BITS_16 = 0xFFFF;
    private static final int BITS_24 = 0xFF_FFFF;

    /**
     * Checks the ranges of the values.
     *
     * @param gid the GID
     * @param lid the LID
     * @param qpn the queue pair
     * @param psn the first packet sequence number
     * @param pathMtu the path MTU
     * @param maxReadsAsInitiator READs and atomics outstanding
     * @param maxReadsAsResponder READs and atomics served at a time
     * @throws IllegalArgumentException for the first value that is out of range
     */
    public QueuePairEndpoint {
        require("lid", lid, BITS_16);
        require("qpn", qpn, BITS_24);
        require("psn", psn, BITS_24);
        require("maxReadsAsInitiator", maxReadsAsInitiator, BITS_8);
        require("maxReadsAsResponder", maxReadsAsResponder, BITS_8);
    }

    private static void require(String name, int value, int max) {
        if (value < 0 || value > max) {
            throw new IllegalArgumentException("endpoint of a queue pair: " + name + " "
                    + Integer.toUnsignedString(value) + " is not 0 to " + max);
        }
    }

    /**
     * Encodes the endpoint.
     *
     * @return {@link #BYTES} bytes
     */
    public byte[] encode() {
        return ByteBuffer.allocate(BYTES)
                .putInt(MAGIC)
                .put((byte) VERSION)
                .put((byte) pathMtu.code())
                .put((byte) maxReadsAsInitiator)
                .put((byte) maxReadsAsResponder)
                .putInt(qpn)
                .putInt(psn)
                .putShort((short) lid)
                .putShort((short) 0)
                .putLong(gid.high())
                .putLong(gid.low())
                .array();
    }

    /**
     * Decodes the result of {@link #encode}.
     *
     * @param bytes the encoded form
     * @return the endpoint
     * @throws IllegalArgumentException if the bytes have another version or length, or are not an endpoint
     */
    public static QueuePairEndpoint decode(byte[] bytes) {
        ByteBuffer from = ByteBuffer.wrap(bytes);
        try {
            int magic = from.getInt();
            if (magic != MAGIC) {
                throw invalid("it begins with 0x" + Integer.toHexString(magic) + " instead of \"RDQP\"");
            }
            int version = from.get();
            if (version != VERSION) {
                throw invalid("it has version " + version + ", this end supports " + VERSION + ": use one release");
            }
            requireLength(bytes, BYTES);
            return decodeRest(from);
        } catch (BufferUnderflowException e) {
            throw invalid("it has " + bytes.length + " bytes instead of " + BYTES);
        }
    }

    private static QueuePairEndpoint decodeRest(ByteBuffer from) {
        PathMtu mtu = PathMtu.of(from.get());
        int initiator = Byte.toUnsignedInt(from.get());
        int responder = Byte.toUnsignedInt(from.get());
        int qpn = from.getInt();
        int psn = from.getInt();
        int lid = Short.toUnsignedInt(from.getShort());
        if (from.getShort() != 0) {
            throw invalid("its reserved bytes are not 0");
        }
        return new QueuePairEndpoint(new Gid(from.getLong(), from.getLong()), lid, qpn, psn, mtu, initiator, responder);
    }

    /**
     * Encodes the short form.
     *
     * @return {@link #SHORT_BYTES} bytes
     * @throws IllegalStateException if the first packet sequence number is not 0, because the form has no field for it
     */
    public byte[] encodeShort() {
        if (psn != 0) {
            throw new IllegalStateException("the short form of an endpoint has no PSN, and this one starts at " + psn
                    + ": prepare with ConnectionSettings.withFirstPsn(0)");
        }
        ByteBuffer to = ByteBuffer.allocate(SHORT_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        to.putInt(qpn).putShort((short) lid);
        return to.order(ByteOrder.BIG_ENDIAN)
                .putLong(gid.high())
                .putLong(gid.low())
                .array();
    }

    /**
     * Decodes the short form.
     *
     * @param bytes the encoded form
     * @param pathMtu the agreed path MTU
     * @param maxReads maximum number of READs and atomics that the peer has outstanding and serves at a time
     * @return the endpoint, which starts at PSN 0
     * @throws IllegalArgumentException if the length is wrong
     */
    public static QueuePairEndpoint decodeShort(byte[] bytes, PathMtu pathMtu, int maxReads) {
        requireLength(bytes, SHORT_BYTES);
        ByteBuffer from = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        int qpn = from.getInt();
        int lid = Short.toUnsignedInt(from.getShort());
        from.order(ByteOrder.BIG_ENDIAN);
        Gid gid = new Gid(from.getLong(), from.getLong());
        return new QueuePairEndpoint(gid, lid, qpn, 0, pathMtu, maxReads, maxReads);
    }

    private static void requireLength(byte[] bytes, int expected) {
        if (bytes.length != expected) {
            throw invalid("it has " + bytes.length + " bytes instead of " + expected);
        }
    }

    private static IllegalArgumentException invalid(String why) {
        return new IllegalArgumentException("this is not the endpoint of a queue pair: " + why);
    }

    /** Omits the packet sequence number: an attacker could forge packets with it. */
    @Override
    public String toString() {
        return "QueuePairEndpoint[gid=" + gid + ", lid=" + lid + ", qpn=" + qpn + ", pathMtu=" + pathMtu
                + ", maxReadsAsInitiator=" + maxReadsAsInitiator + ", maxReadsAsResponder=" + maxReadsAsResponder + "]";
    }
}
