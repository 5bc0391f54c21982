package io.rdmarpc.verbs.soft.link;

import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.ffi.LibC;
import io.rdmarpc.verbs.soft.ffi.MessageArray;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Packets that were received by one system call. A message of the kernel may be several packets of one size (UDP
 * generic receive offload). The buffers of a message are sized like the last packet size, so that most packets arrive
 * in a buffer of their own. Other packets are assembled from their pieces. While packets arrive one by one a message
 * has only one buffer, because the kernel processes each piece in each call.
 *
 * <pre>
 *   message   | size | size | ... 16 of them | rest: bytes beyond the expected    |
 *   or        | largest packet               | rest                               |
 * </pre>
 */
final class ReceiveBatch {

    private static final int MESSAGES = 16;
    private static final int PACKETS = 16;
    private static final int PIECES = PACKETS + 1;
    private static final int PIECES_OF_ONE = 2;
    private static final int ONES = MESSAGES * PIECES;

    /** After this number of single-packet messages in a row, more are expected. */
    private static final int SINGLES_IN_A_ROW = 256;

    private static final int LARGEST_MESSAGE = 1 << 16;
    private static final long IPV4_MAPPED = 0xFFFF_0000_0000L;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final long PORT = 2;
    private static final long IPV4_ADDRESS = 4;
    private static final long IPV6_ADDRESS = 8;

    private final UdpSockets owner;
    private final PacketBuffer[] packets = PacketBuffer.array(MESSAGES * PACKETS);
    private final MemorySegment[] rests = new MemorySegment[MESSAGES];
    private final PacketBuffer assembled = new PacketBuffer();
    private final MessageArray messages = new MessageArray(MESSAGES, ONES + MESSAGES * PIECES_OF_ONE);
    private final MemorySegment names = messages.names();
    private int requested = 1;
    private int singles;
    private int buffers = 1;
    private int expectedBytes = PacketBuffer.CAPACITY;
    private int nextExpectedBytes = PacketBuffer.CAPACITY;

    ReceiveBatch(UdpSockets owner) {
        this.owner = owner;
        ByteBuffer memory = ByteBuffer.allocateDirect(MESSAGES * LARGEST_MESSAGE);
        for (int i = 0; i < MESSAGES; i++) {
            rests[i] = MemorySegment.ofBuffer(memory.slice(i * LARGEST_MESSAGE, LARGEST_MESSAGE));
            for (int j = 0; j < PACKETS; j++) {
                messages.piece(i * PIECES + j, packets[i * PACKETS + j].memory());
            }
            messages.piece(i * PIECES + PACKETS, rests[i]);
            messages.piece(ONES + i * PIECES_OF_ONE, packets[i * PACKETS].memory());
            messages.piece(ONES + i * PIECES_OF_ONE + 1, rests[i]);
            messages.prepare(i);
        }
        cut(PacketBuffer.CAPACITY);
    }

    /**
     * Receives the available packets, about {@code max} at most. Requests only one packet while packets arrive one by
     * one. Otherwise the kernel would look for a second one before it returns, which delays the first. Doubles the
     * number while more arrive.
     */
    int receive(NativeSocket socket, int localIndex, int max, LinkPacketHandler handler) {
        int count = 0;
        boolean more = true;
        while (more && count < max) {
            int most = Math.min(requested, max - count);
            int taken = messages.receive(socket.descriptor(), most);
            for (int i = 0; i < taken; i++) {
                count += handOver(socket.isIpv4(), localIndex, i, handler);
                messages.prepare(i);
            }
            expect(nextExpectedBytes);
            noteFailure(taken);
            more = taken == most && most > 1;
            requested = taken == most ? Math.min(MESSAGES, 2 * most) : Math.max(1, taken);
        }
        return count;
    }

    private void noteFailure(int taken) {
        if (taken < 0 && taken != -Errno.EAGAIN && taken != -LibC.EINTR) {
            owner.countReceiveFailure();
        }
    }

    private int handOver(boolean ipv4, int localIndex, int message, LinkPacketHandler handler) {
        long name = (long) message * MessageArray.NAME_BYTES;
        long high = ipv4 ? 0 : names.get(LONG, name + IPV6_ADDRESS);
        long low = ipv4
                ? IPV4_MAPPED | Integer.toUnsignedLong(names.get(INT, name + IPV4_ADDRESS))
                : names.get(LONG, name + IPV6_ADDRESS + Long.BYTES);
        int port = Short.toUnsignedInt(names.get(SHORT, name + PORT));
        int trafficClass = messages.trafficClass(message, ipv4);
        int length = messages.length(message);
        int size = sizeOfEach(message, length);
        int count = 0;
        int at = 0;
        do {
            PacketBuffer packet = packetAt(message, at, Math.min(size, length - at));
            packet.trafficClass(trafficClass);
            handler.onPacket(localIndex, high, low, port, packet);
            at += size;
            count++;
        } while (at < length);
        return count;
    }

    /** Returns the size of all packets in a message except the last, and updates the expected size. */
    private int sizeOfEach(int message, int length) {
        int size = messages.segmentBytes(message);
        if (size > 0) {
            singles = 0;
            nextExpectedBytes = Math.min(size, PacketBuffer.CAPACITY);
            return size;
        }
        if (length > expectedBytes || ++singles >= SINGLES_IN_A_ROW) {
            nextExpectedBytes = PacketBuffer.CAPACITY;
        }
        return Math.max(1, length);
    }

    private void expect(int bytes) {
        if (bytes != expectedBytes) {
            cut(bytes);
        }
    }

    private void cut(int bytes) {
        expectedBytes = bytes;
        buffers = bytes == PacketBuffer.CAPACITY ? 1 : PACKETS;
        for (int i = 0; i < MESSAGES; i++) {
            if (buffers == 1) {
                messages.message(i, ONES + i * PIECES_OF_ONE, PIECES_OF_ONE);
            } else {
                messages.message(i, i * PIECES, PIECES);
                for (int j = 0; j < PACKETS; j++) {
                    messages.pieceLength(i * PIECES + j, bytes);
                }
            }
        }
    }

    /** Returns a packet of a message; packets longer than the capacity are truncated. */
    private PacketBuffer packetAt(int message, int at, int length) {
        int bytes = Math.min(length, PacketBuffer.CAPACITY);
        int piece = at / expectedBytes;
        boolean whole = at % expectedBytes == 0 && bytes <= expectedBytes && piece < buffers;
        PacketBuffer packet = whole ? packets[message * PACKETS + piece] : assembled;
        packet.length(bytes);
        if (!whole) {
            assemble(message, at, bytes);
        }
        return packet;
    }

    private void assemble(int message, int from, int bytes) {
        int at = from;
        int done = 0;
        while (done < bytes) {
            int piece = Math.min(at / expectedBytes, buffers);
            int offset = at - piece * expectedBytes;
            int most = piece == buffers ? LARGEST_MESSAGE - offset : expectedBytes - offset;
            int part = Math.min(most, bytes - done);
            MemorySegment source = piece == buffers ? rests[message] : packets[message * PACKETS + piece].memory();
            MemorySegment.copy(source, offset, assembled.memory(), done, part);
            at += part;
            done += part;
        }
    }
}
