package io.rdmarpc.rpc.engine.packet;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A stack of free packets. Elements above its top are not cleared, because a packet usually returns to the same
 * element. With G1, storing a reference costs a fence. Engine thread only.
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
