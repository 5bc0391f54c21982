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
 * What a method streams, taken one by one on the caller's thread. The server is as far ahead as there are credits. Who
 * stops early closes it, from any thread; else it ends with the call's time, or when nobody holds it any more.
 */
final class RemoteIterator extends DecodedElements implements AutoCloseable {

    private final ClientMethod method;
    private final OpenStream open;
    private final Cleaner.Cleanable dropped;
    private boolean heard;

    RemoteIterator(ClientMethod method, OpenStream open) {
        this.method = method;
        this.open = open;
        this.dropped = open.endWith(this);
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

    /** After the last one that is wanted. */
    void awaitEnd() {
        InboundMessage more = open.isEnded() ? null : take();
        if (more != null) {
            more.close();
        }
    }

    private @Nullable InboundMessage take() {
        try {
            InboundMessage message = open.stream().take();
            heard();
            if (message == null && open.end()) {
                completeOwnHalf();
                open.stream().close();
                open.call().succeeded();
                dropped.clean();
            }
            return message;
        } catch (RdmaRpcException e) {
            blame(e);
            ElementPump pump = open.pump();
            throw failed(pump == null ? e : pump.reasonOf(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failed(new RdmaRpcException(RpcStatus.CANCELLED, "the caller was interrupted while it waited", e));
        } finally {
            // Who waits here has not dropped it.
            Reference.reachabilityFence(this);
        }
    }

    private void heard() {
        if (!heard) {
            heard = true;
            method.answered(open.call());
        }
    }

    /** A stream that was under way may end with its time; one of which nothing came is a call without an answer. */
    private void blame(RdmaRpcException e) {
        if (!heard || e.status() != RpcStatus.DEADLINE_EXCEEDED) {
            method.failedOn(open.call(), e);
        }
    }

    /** The server wants no more elements than it has taken. */
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
        dropped.clean();
        return open.call().failed(e);
    }

    /** Ends the stream where it is. A second call does nothing. */
    @Override
    public void close() {
        if (open.end()) {
            open.release();
            open.call().succeeded();
            dropped.clean();
        }
    }
}
