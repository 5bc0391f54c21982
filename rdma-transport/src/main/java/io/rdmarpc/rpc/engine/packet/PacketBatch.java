package io.rdmarpc.rpc.engine.packet;

import io.rdmarpc.memory.RegisteredBlock;
import io.rdmarpc.rpc.engine.context.Expect;
import io.rdmarpc.rpc.wire.BatchFormat;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Small messages to one peer, of whatever sessions, that leave at the same flush: they share a packet. It never waits for
 * more. Engine thread only.
 */
final class PacketBatch {

    private static final int FIRST_MESSAGES = 4;

    /** What is behind the count stays: a reference that is stored costs a fence with G1, and the same packets come again. */
    private @Nullable OutgoingPacket[] messages = new OutgoingPacket[FIRST_MESSAGES];

    private int count;
    private int bytes;
    private int limit;
    /** Paths that use it. */
    int users;
    /** Is among those that the next flush looks at. */
    boolean listed;

    /** Tells whether a message is worth being copied into a packet with others. */
    static boolean isSmall(OutgoingPacket message, int mtuBytes) {
        return 2 * BatchFormat.padded(message.length) <= mtuBytes;
    }

    boolean hasRoom(OutgoingPacket message, int mtuBytes) {
        return count == 0 || bytes + message.length <= Math.min(limit, mtuBytes);
    }

    @SuppressWarnings("ReferenceEquality") // that very packet
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
