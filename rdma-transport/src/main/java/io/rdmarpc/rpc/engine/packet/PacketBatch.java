package io.rdmarpc.rpc.engine.packet;

import io.rdmarpc.memory.RegisteredBlock;
import io.rdmarpc.rpc.engine.context.Expect;
import io.rdmarpc.rpc.wire.BatchFormat;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Small messages to one peer, of any sessions, that leave at the same flush and share a packet. A batch never waits for
 * further messages. Engine thread only.
 */
final class PacketBatch {

    private static final int FIRST_MESSAGES = 4;

    /**
     * Elements beyond the count are not cleared. With G1, storing a reference costs a fence, and the same packets
     * usually return to the same elements.
     */
    private @Nullable OutgoingPacket[] messages = new OutgoingPacket[FIRST_MESSAGES];

    private int count;
    private int bytes;
    private int limit;
    /** Number of paths that use this batch. */
    int users;
    /** Whether the batch is in the list for the next flush. */
    boolean listed;

    /** Returns whether a message is small enough to be copied into a packet with others. */
    static boolean isSmall(OutgoingPacket message, int mtuBytes) {
        return 2 * BatchFormat.padded(message.length) <= mtuBytes;
    }

    boolean hasRoom(OutgoingPacket message, int mtuBytes) {
        return count == 0 || bytes + message.length <= Math.min(limit, mtuBytes);
    }

    @SuppressWarnings("ReferenceEquality") // identity of the packet
    void add(OutgoingPacket message, int mtuBytes) {
        limit = count == 0 ? mtuBytes : Math.min(limit, mtuBytes);
        bytes += BatchFormat.padded(message.length);
        if (count == messages.length) {
            messages = Arrays.copyOf(messages, 2 * count);
        }
        if (messages[count] != message) {
            messages[count] = message;
        }
        count++;
    }

    int count() {
        return count;
    }

    OutgoingPacket message(int index) {
        return Expect.present(messages[index]);
    }

    void clear() {
        count = 0;
        bytes = 0;
    }

    /** Copies all messages into a block, from its first byte; returns the length of the packet. */
    int write(RegisteredBlock target) {
        int at = 0;
        int length = 0;
        for (int i = 0; i < count; i++) {
            OutgoingPacket message = message(i);
            RegisteredBlock source = Expect.present(message.block);
            MemorySegment.copy(
                    source.memory(), message.address - source.address(), target.memory(), at, message.length);
            length = at + message.length;
            if (i < count - 1) {
                BatchFormat.markFollowed(target.memory(), at);
                at = BatchFormat.pad(target.memory(), length);
            }
        }
        return length;
    }
}
