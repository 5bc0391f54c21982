package io.rdmarpc.rpc.engine.packet;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Packets that nobody uses, the last one first. What is above the top of the stack stays there: a packet usually comes back to
 * the place that it was taken from, and a reference that is stored costs a fence with G1. Engine thread only.
 */
final class PacketPool {

    private @Nullable OutgoingPacket[] stack = new OutgoingPacket[64];
    private int count;

    OutgoingPacket take() {
        OutgoingPacket top = count == 0 ? null : stack[--count];
        return top == null ? new OutgoingPacket() : top;
    }

    void put(OutgoingPacket packet) {
        if (count == stack.length) {
            stack = Arrays.copyOf(stack, 2 * count);
        }
        if (stack[count] != packet) {
            stack[count] = packet;
        }
        count++;
    }
}
