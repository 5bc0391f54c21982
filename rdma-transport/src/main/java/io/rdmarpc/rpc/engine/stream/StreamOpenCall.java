package io.rdmarpc.rpc.engine.stream;

import io.rdmarpc.rpc.ResponseHandler;
import io.rdmarpc.rpc.engine.context.EngineContext;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.message.InboundMessage;
import io.rdmarpc.rpc.wire.StreamOpening;

/** The call by which a client opens a stream; its response carries the first credits. */
public final class StreamOpenCall implements ResponseHandler {

    private final EngineStream stream;
    private final EngineContext context;

    public StreamOpenCall(EngineStream stream, EngineContext context) {
        this.stream = stream;
        this.context = context;
    }

    @Override
    public void onResponse(InboundMessage response) {
        try (response) {
            if (StreamOpening.isResponse(response.payload())) {
                stream.opened(
                        StreamOpening.read(response.payload()).credits(),
                        context.clock().nanoTime());
                return;
            }
        }
        onFailure(new RdmaRpcException(
                RpcStatus.INVALID_REQUEST,
                stream.session().info().peer() + " responded with a result: the method takes calls, not streams"));
    }

    @Override
    public void onFailure(RdmaRpcException failure) {
        // This may run on the caller's thread.
        context.submit(now -> stream.abandon(failure));
    }
}
