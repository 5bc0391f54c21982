package io.rdmarpc.rpc;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.error.RpcStatus;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** A request as a {@link BytesHandler} sees it where it is not served in place: on an executor, or a large one. */
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
                fail(RpcStatus.HANDLER_FAILED, "the handler returned without an answer");
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
            throw new IllegalStateException("this call was answered or deferred already");
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
            throw new IllegalStateException("there is nothing to answer with: call response() and fill it first");
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
