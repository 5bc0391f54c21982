package io.rdmarpc.rpc;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.error.RpcStatus;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Adapts a request to a {@link BytesHandler} if the call is not served in place, because it runs on an executor or its
 * request is large.
 */
final class ServedRequest implements ServedCall {

    private @Nullable RpcRequest request;
    private @Nullable MessageBuffer response;

    ServedRequest(RpcRequest request) {
        this.request = request;
    }

    void serve(BytesHandler handler) throws Exception {
        try {
            handler.serve(this);
            if (request != null) {
                fail(RpcStatus.HANDLER_FAILED, "the handler returned without a response");
            }
        } finally {
            request = null;
            dropResponse();
        }
    }

    private void dropResponse() {
        if (response != null && response.isOpen()) {
            response.close();
        }
    }

    private RpcRequest open() {
        RpcRequest current = request;
        if (current == null) {
            throw new IllegalStateException("this call has a response or is deferred already");
        }
        return current;
    }

    @Override
    public int methodId() {
        return open().methodId();
    }

    @Override
    public long remainingNanos() {
        return open().remainingNanos();
    }

    @Override
    public String peer() {
        return open().peer();
    }

    @Override
    public PeerIdentity identity() {
        return open().identity();
    }

    @Override
    public boolean hasMetadata() {
        return open().hasMetadata();
    }

    @Override
    public MemorySegment memory() {
        return open().message().payload();
    }

    @Override
    public long offset() {
        return 0;
    }

    @Override
    public int length() {
        return open().message().length();
    }

    @Override
    public MessageBuffer response(int capacityBytes) {
        RpcRequest current = open();
        dropResponse();
        MessageBuffer fresh = current.allocate(capacityBytes);
        response = fresh;
        return fresh;
    }

    @Override
    public void respond() {
        MessageBuffer ready = response;
        if (ready == null) {
            throw new IllegalStateException("there is no response to send: call response() and fill the buffer first");
        }
        defer().respond(ready);
    }

    @Override
    public void fail(RpcStatus status, String message) {
        defer().fail(status, "", message);
    }

    @Override
    public RpcRequest defer() {
        RpcRequest current = open();
        request = null;
        return current;
    }
}
