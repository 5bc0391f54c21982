package io.rdmarpc.rpc.engine.stream;

import io.rdmarpc.memory.RegisteredBlock;
import io.rdmarpc.rpc.engine.packet.OutgoingPacket;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.wire.FailureText;
import org.jspecify.annotations.Nullable;

/**
 * A message of a stream, or its end, from the sender's hand-over until the receiver's acknowledgment. Engine thread
 * only after the hand-over.
 */
final class StreamItem {

    private final boolean end;
    /** The message; null for an end, and until the message is in registered memory. */
    @Nullable
    RegisteredBlock block;

    final int length;
    final RpcStatus status;
    final FailureText failure;
    long sequence;
    long sentNanos;
    /** Whether it was sent more than once. Its acknowledgment then does not measure the round trip. */
    boolean retransmitted;
    /** Null while there is no memory for the packet. */
    @Nullable
    OutgoingPacket packet;
    /** Whether the item is no longer needed. */
    boolean freed;

    private StreamItem(boolean end, int length, RpcStatus status, FailureText failure) {
        this.end = end;
        this.length = length;
        this.status = status;
        this.failure = failure;
    }

    static StreamItem message(int length) {
        return new StreamItem(false, length, RpcStatus.OK, new FailureText("", ""));
    }

    static StreamItem end(RpcStatus status, FailureText failure) {
        return new StreamItem(true, 0, status, failure);
    }

    /** Returns whether the message is in registered memory. */
    boolean isReady() {
        return end || block != null;
    }

    boolean isEnd() {
        return end;
    }
}
