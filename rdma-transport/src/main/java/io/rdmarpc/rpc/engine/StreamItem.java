package io.rdmarpc.rpc.engine;

import io.rdmarpc.memory.RegisteredBlock;
import io.rdmarpc.rpc.RpcStatus;
import io.rdmarpc.rpc.wire.FailureText;
import org.jspecify.annotations.Nullable;

/**
 * A message of a stream, or its end, from the sender's hand-over until the receiver's acknowledgement. Engine thread only
 * after it was handed over.
 */
final class StreamItem {

    /** The message; null for an end. */
    final @Nullable RegisteredBlock block;

    final int length;
    final RpcStatus status;
    final FailureText failure;
    long sequence;
    /** Null while there is no memory for it. */
    @Nullable
    OutgoingPacket packet;

    private StreamItem(@Nullable RegisteredBlock block, int length, RpcStatus status, FailureText failure) {
        this.block = block;
        this.length = length;
        this.status = status;
        this.failure = failure;
    }

    static StreamItem message(RegisteredBlock block, int length) {
        return new StreamItem(block, length, RpcStatus.OK, new FailureText("", ""));
    }

    static StreamItem end(RpcStatus status, FailureText failure) {
        return new StreamItem(null, 0, status, failure);
    }

    boolean isEnd() {
        return block == null;
    }
}
