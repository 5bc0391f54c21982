package io.rdmarpc.rpc.engine.stream;

import io.rdmarpc.memory.RegisteredBlock;
import io.rdmarpc.rpc.engine.packet.OutgoingPacket;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.wire.FailureText;
import org.jspecify.annotations.Nullable;

/**
 * A message of a stream, or its end, from the sender's hand-over until the receiver's acknowledgement. Engine thread only
 * after it was handed over.
 */
final class StreamItem {

    private final boolean end;
    /** The message; null for an end, and until it is in memory that can be sent. */
    @Nullable
    RegisteredBlock block;

    final int length;
    final RpcStatus status;
    final FailureText failure;
    long sequence;
    long sentNanos;
    /** Sent more than once: its acknowledgement tells nothing about the round trip. */
    boolean repeated;
    /** Null while there is no memory for it. */
    @Nullable
    OutgoingPacket packet;
    /** Nobody needs it any more. */
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

    /** Its bytes are in memory that can be sent. */
    boolean isReady() {
        return end || block != null;
    }

    boolean isEnd() {
        return end;
    }
}
