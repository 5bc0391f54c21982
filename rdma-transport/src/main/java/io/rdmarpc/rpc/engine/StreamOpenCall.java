package io.rdmarpc.rpc.engine;

import io.rdmarpc.rpc.InboundMessage;
import io.rdmarpc.rpc.ResponseHandler;
import io.rdmarpc.rpc.RpcException;
import io.rdmarpc.rpc.RpcStatus;
import io.rdmarpc.rpc.wire.StreamOpening;

/** The call by which a client opens a stream; its answer brings the first credits. */
final class StreamOpenCall implements ResponseHandler {

    private final EngineStream stream;
    private final EventLoop loop;

    StreamOpenCall(EngineStream stream, EventLoop loop) {
        this.stream = stream;
        this.loop = loop;
    }

    @Override
    public void onResponse(InboundMessage response) {
        try (response) {
            if (StreamOpening.isAnswer(response.payload())) {
                stream.opened(
                        StreamOpening.read(response.payload()).credits(),
                        loop.clock().nanoTime());
                return;
            }
        }
        onFailure(new RpcException(
                RpcStatus.INVALID_REQUEST,
                stream.session().info().peer() + " answered with a result: the method takes calls, not streams"));
    }

    @Override
    public void onFailure(RpcException failure) {
        // It may come on the caller's thread.
        loop.submit(now -> stream.abandon(failure));
    }
}
