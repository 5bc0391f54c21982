package io.rdmarpc.rpc.engine;

import io.rdmarpc.memory.RegisteredBlock;
import io.rdmarpc.rpc.wire.PacketBundle;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Small messages to one peer, of whatever sessions, that leave at the same flush: they share a packet. It never waits for
 * more. Engine thread only.
 */
final class Bundle {

    private final List<OutgoingPacket> messages = new ArrayList<>();
    private int bytes;
    private int limit;
    /** Paths that use it. */
    int users;
    /** Is among those that the next flush looks at. */
    boolean listed;

    /** Tells whether a message is worth being copied into a packet with others. */
    static boolean isSmall(OutgoingPacket message, int mtuBytes) {
        return 2 * PacketBundle.padded(message.length) <= mtuBytes;
    }

    boolean hasRoom(OutgoingPacket message, int mtuBytes) {
        return messages.isEmpty() || bytes + message.length <= Math.min(limit, mtuBytes);
    }

    void add(OutgoingPacket message, int mtuBytes) {
        limit = messages.isEmpty() ? mtuBytes : Math.min(limit, mtuBytes);
        messages.add(message);
        bytes += PacketBundle.padded(message.length);
    }

    List<OutgoingPacket> messages() {
        return messages;
    }

    void clear() {
        messages.clear();
        bytes = 0;
    }

    /** Copies all messages into a block, from its first byte; returns the length of the packet. */
    int write(RegisteredBlock target) {
        int at = 0;
        int length = 0;
        int last = messages.size() - 1;
        for (int i = 0; i <= last; i++) {
            OutgoingPacket message = messages.get(i);
            RegisteredBlock source = ClientRequests.active(message.block);
            MemorySegment.copy(
                    source.memory(), message.address - source.address(), target.memory(), at, message.length);
            length = at + message.length;
            if (i < last) {
                PacketBundle.markFollowed(target.memory(), at);
                at = PacketBundle.pad(target.memory(), length);
            }
        }
        return length;
    }
}
