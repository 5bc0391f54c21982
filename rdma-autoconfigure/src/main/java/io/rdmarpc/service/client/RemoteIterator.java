package io.rdmarpc.service.client;

import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.message.InboundMessage;
import io.rdmarpc.service.stream.DecodedElements;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * The elements of a streamed result, which the caller's thread consumes one by one. The server may send ahead as many
 * elements as it has credits. A user that stops early closes the iterator, on any thread. Otherwise it ends at the
 * call's deadline, or when it becomes unreachable.
 */
final class RemoteIterator extends DecodedElements implements AutoCloseable {

    private final ClientMethod method;
    private final OpenStream open;
    private final Cleaner.Cleanable cleanable;
    private boolean responded;

    RemoteIterator(ClientMethod method, OpenStream open) {
        this.method = method;
        this.open = open;
        this.cleanable = open.endWith(this);
    }

    Stream<@Nullable Object> asStream() {
        Stream<@Nullable Object> items =
                StreamSupport.stream(Spliterators.spliteratorUnknownSize(this, Spliterator.ORDERED), false);
        return items.onClose(this::close);
    }

    @Override
    protected void read() {
        InboundMessage message = open.isEnded() ? null : take();
        if (message == null) {
            return;
        }
        try {
            found(method.decode(open.call(), message));
        } catch (RdmaRpcException e) {
            throw failed(e);
        }
    }

    /** Waits for the end of the stream after the last element that the caller needs. */
    void awaitEnd() {
        InboundMessage more = open.isEnded() ? null : take();
        if (more != null) {
            more.close();
        }
    }

    private @Nullable InboundMessage take() {
        try {
            InboundMessage message = open.stream().take();
            markResponded();
            if (message == null && open.end()) {
                completeOwnHalf();
                open.stream().close();
                open.call().succeeded();
                cleanable.clean();
            }
            return message;
        } catch (RdmaRpcException e) {
            recordFailure(e);
            ElementPump pump = open.pump();
            throw failed(pump == null ? e : pump.reasonOf(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failed(new RdmaRpcException(RpcStatus.CANCELLED, "the caller was interrupted while it waited", e));
        } finally {
            // Keeps the iterator reachable while its thread waits here.
            Reference.reachabilityFence(this);
        }
    }

    private void markResponded() {
        if (!responded) {
            responded = true;
            method.recordResponse(open.call());
        }
    }

    /**
     * Reports the failure to the instance's statistics. A stream that delivered elements may end with its deadline. A
     * stream without any element is a call without a response.
     */
    private void recordFailure(RdmaRpcException e) {
        if (!responded || e.status() != RpcStatus.DEADLINE_EXCEEDED) {
            method.recordFailure(open.call(), e);
        }
    }

    /** Completes this side of the stream, because the server needs no more elements. */
    private void completeOwnHalf() {
        ElementPump pump = open.pump();
        if (pump != null) {
            pump.stop();
            open.stream().complete();
        }
    }

    private RdmaRpcException failed(RdmaRpcException e) {
        open.end();
        open.release();
        cleanable.clean();
        return open.call().failed(e);
    }

    /** Ends the stream at its current element. A second call has no effect. */
    @Override
    public void close() {
        if (open.end()) {
            open.release();
            open.call().succeeded();
            cleanable.clean();
        }
    }
}
