package io.rdmarpc.verbs.soft.link;

import io.rdmarpc.verbs.Errno;
import io.rdmarpc.verbs.ffi.LibC;
import io.rdmarpc.verbs.soft.ffi.MessageArray;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Packets that were received by one system call. What the kernel hands over as one message may be several packets of one
 * size (UDP generic receive offload). The buffers of a message are cut to the size seen last, so that most packets land in
 * one of their own; those that do not are put together from their pieces.
 *
 * <pre>
 *   message   | size | size | ... 16 of them | rest: what is longer than expected |
 * </pre>
 */
final class ReceiveBatch {

    private static final int MESSAGES = 16;
    private static final int PACKETS = 16;
    private static final int PIECES = PACKETS + 1;
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
    private final MessageArray messages = new MessageArray(MESSAGES, MESSAGES * PIECES);
    private final MemorySegment names = messages.names();
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
            messages.message(i, i * PIECES, PIECES);
            messages.takeSegments(i);
        }
    }

    /** Hands over what there is, about {@code max} packets at most. */
    int receive(NativeSocket socket, int localIndex, int max, PacketHandler handler) {
        int count = 0;
        boolean more = true;
        while (more && count < max) {
            int asked = Math.min(MESSAGES, max - count);
            int taken = messages.receive(socket.descriptor(), asked);
            for (int i = 0; i < taken; i++) {
                count += handOver(socket.isIpv4(), localIndex, i, handler);
                messages.takeSegments(i);
            }
            expect(nextExpectedBytes);
            noteFailure(taken);
            more = taken == asked;
        }
        return count;
    }

    private void noteFailure(int taken) {
        if (taken < 0 && taken != -Errno.EAGAIN && taken != -LibC.EINTR) {
            owner.countReceiveFailure();
        }
    }

    private int handOver(boolean ipv4, int localIndex, int message, PacketHandler handler) {
        long name = (long) message * MessageArray.NAME_BYTES;
        long high = ipv4 ? 0 : names.get(LONG, name + IPV6_ADDRESS);
        long low = ipv4
                ? IPV4_MAPPED | Integer.toUnsignedLong(names.get(INT, name + IPV4_ADDRESS))
                : names.get(LONG, name + IPV6_ADDRESS + Long.BYTES);
        int port = Short.toUnsignedInt(names.get(SHORT, name + PORT));
        int length = messages.length(message);
        int size = sizeOfEach(message, length);
        int count = 0;
        int at = 0;
        do {
            handler.onPacket(localIndex, high, low, port, packetAt(message, at, Math.min(size, length - at)));
            at += size;
            count++;
        } while (at < length);
        return count;
    }

    /** Returns the size of all packets in a message but the last, and remembers what to expect next. */
    private int sizeOfEach(int message, int length) {
        int size = messages.segmentBytes(message);
        if (size > 0 && size <= PacketBuffer.CAPACITY) {
            nextExpectedBytes = size;
        } else if (length > expectedBytes) {
            nextExpectedBytes = PacketBuffer.CAPACITY;
        }
        return size > 0 ? size : Math.max(1, length);
    }

    private void expect(int bytes) {
        if (bytes == expectedBytes) {
            return;
        }
        expectedBytes = bytes;
        for (int i = 0; i < MESSAGES; i++) {
            for (int j = 0; j < PACKETS; j++) {
                messages.pieceLength(i * PIECES + j, bytes);
            }
        }
    }

    /** Returns a packet of a message; longer ones than any of ours are cut off. */
    private PacketBuffer packetAt(int message, int at, int length) {
        int bytes = Math.min(length, PacketBuffer.CAPACITY);
        int piece = at / expectedBytes;
        boolean whole = at % expectedBytes == 0 && bytes <= expectedBytes && piece < PACKETS;
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
            int piece = Math.min(at / expectedBytes, PACKETS);
            int offset = at - piece * expectedBytes;
            int most = piece == PACKETS ? LARGEST_MESSAGE - offset : expectedBytes - offset;
            int part = Math.min(most, bytes - done);
            MemorySegment source = piece == PACKETS ? rests[message] : packets[message * PACKETS + piece].memory();
            MemorySegment.copy(source, offset, assembled.memory(), done, part);
            at += part;
            done += part;
        }
    }
}
