package io.rdmarpc.verbs.soft.link;

import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.soft.wire.Ipv4Header;
import io.rdmarpc.verbs.soft.wire.Ipv6Header;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Writes packets to a file for Wireshark: libpcap's classic format with nanoseconds, with IP packets and no link layer.
 *
 * <pre>
 *   file    0 magic 0xA1B23C4D  4 version 2.4  8 zone 0  12 accuracy 0  16 longest 65535  20 link type 101
 *   packet  0 seconds  4 nanoseconds  8 bytes here  12 bytes on the wire  16 IP header, UDP header, BTH to ICRC
 * </pre>
 *
 * Numbers of the file are in this host's byte order, which readers detect. Packets are collected in a buffer, which is
 * written when it is full and at {@link #flush}. If a write fails, one line is logged and the dump ends; the packets
 * themselves are not affected. One thread at a time.
 */
public final class PacketDump implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(PacketDump.class.getName());

    private static final int MAGIC = 0xA1B2_3C4D;
    private static final short MAJOR = 2;
    private static final short MINOR = 4;
    private static final int LONGEST = 0xFFFF;
    private static final int RAW_IP = 101;
    private static final int RECORD_BYTES = 16;
    private static final int UDP_BYTES = 8;
    private static final int BUFFER_BYTES = 256 << 10;
    private static final long NANOS = TimeUnit.SECONDS.toNanos(1);

    private final String name;
    private final WritableByteChannel file;
    private final LongSupplier epochNanos;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES).order(ByteOrder.nativeOrder());
    private boolean failed;

    /**
     * Starts a dump to a file, which no other dump may be writing. An existing file is truncated.
     *
     * @throws IOException if the file cannot be written, or another dump is writing it
     */
    public static PacketDump to(Path path) throws IOException {
        FileChannel file = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            claim(file);
            long offset = TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis()) - System.nanoTime();
            return new PacketDump(path.toString(), file, () -> System.nanoTime() + offset);
        } catch (IOException e) {
            file.close();
            throw e;
        }
    }

    private static void claim(FileChannel file) throws IOException {
        try {
            if (file.tryLock() == null) {
                throw new IOException("another process is writing to the file");
            }
        } catch (OverlappingFileLockException e) {
            throw new IOException("another device of this process is writing to the file", e);
        }
        file.truncate(0);
    }

    /**
     * Starts a dump.
     *
     * @param name name of the file, for log messages
     * @param file the file, closed with the dump
     * @param epochNanos the current time in nanoseconds since 1970
     */
    PacketDump(String name, WritableByteChannel file, LongSupplier epochNanos) {
        this.name = name;
        this.file = file;
        this.epochNanos = epochNanos;
        buffer.putInt(MAGIC).putShort(MAJOR).putShort(MINOR).putInt(0).putInt(0);
        buffer.putInt(LONGEST).putInt(RAW_IP);
    }

    /**
     * Adds a packet.
     *
     * @param packet the packet from BTH to ICRC; not changed
     * @param idAndFlags bytes 4 to 7 of its IPv4 header; ignored for IPv6
     */
    void add(PacketBuffer packet, int idAndFlags, Gid source, int sourcePort, Gid destination, int destinationPort) {
        if (failed) {
            return;
        }
        int udpBytes = UDP_BYTES + packet.length();
        int ipBytes = source.isIpv4Mapped() ? Ipv4Header.BYTES : Ipv6Header.BYTES;
        int total = ipBytes + udpBytes;
        if (buffer.remaining() < RECORD_BYTES + total) {
            flush();
        }
        long now = epochNanos.getAsLong();
        buffer.putInt((int) (now / NANOS))
                .putInt((int) (now % NANOS))
                .putInt(total)
                .putInt(total);
        // Headers are in network byte order.
        buffer.order(ByteOrder.BIG_ENDIAN);
        writeIpHeader(packet.trafficClass(), udpBytes, idAndFlags, source, destination);
        buffer.position(buffer.position() + ipBytes);
        buffer.putShort((short) sourcePort).putShort((short) destinationPort);
        // A checksum of 0 means that the packet has no checksum (RFC 768).
        buffer.putShort((short) udpBytes).putShort((short) 0);
        buffer.order(ByteOrder.nativeOrder());
        buffer.put(buffer.position(), packet.bytes(), 0, packet.length());
        buffer.position(buffer.position() + packet.length());
    }

    private void writeIpHeader(int trafficClass, int udpBytes, int idAndFlags, Gid source, Gid destination) {
        int at = buffer.position();
        if (source.isIpv4Mapped()) {
            int total = Ipv4Header.BYTES + udpBytes;
            Ipv4Header.write(buffer, at, trafficClass, total, idAndFlags, source.ipv4(), destination.ipv4());
        } else {
            Ipv6Header.write(
                    buffer,
                    at,
                    trafficClass,
                    udpBytes,
                    source.high(),
                    source.low(),
                    destination.high(),
                    destination.low());
        }
    }

    /** Writes the buffered packets. */
    void flush() {
        buffer.flip();
        try {
            while (!failed && buffer.hasRemaining()) {
                file.write(buffer);
            }
        } catch (IOException e) {
            failed = true;
            LOG.log(System.Logger.Level.WARNING, "The packet dump {0} has ended because a write failed: {1}", name, e);
        }
        buffer.clear();
    }

    /** Returns whether packets are buffered. */
    boolean isPending() {
        return buffer.position() > 0;
    }

    @Override
    public void close() {
        flush();
        failed = true;
        try {
            file.close();
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "Cannot close the packet dump {0}: {1}", name, e);
        }
    }
}
