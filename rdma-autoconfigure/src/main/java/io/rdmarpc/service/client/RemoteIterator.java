package io.rdmarpc.service.client;

import io.rdmarpc.rpc.BlockingStream;
import io.rdmarpc.rpc.InboundMessage;
import io.rdmarpc.rpc.RpcException;
import io.rdmarpc.rpc.RpcStatus;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * What a method streams, taken one by one on the caller's thread. The server is as far ahead as there are credits. Who
 * stops early closes it; else it ends with the call's time.
 */
final class RemoteIterator implements Iterator<@Nullable Object>, AutoCloseable {

    private final ClientMethod method;
    private final ClientCall call;
    private final BlockingStream stream;
    private @Nullable InboundMessage next;
    private boolean ended;

    RemoteIterator(ClientMethod method, ClientCall call, BlockingStream stream) {
        this.method = method;
        this.call = call;
        this.stream = stream;
    }

    Stream<@Nullable Object> asStream() {
        Stream<@Nullable Object> items =
                StreamSupport.stream(Spliterators.spliteratorUnknownSize(this, Spliterator.ORDERED), false);
        return items.onClose(this::close);
    }

    @Override
    public boolean hasNext() {
        if (next == null && !ended) {
            next = take();
        }
        return next != null;
    }

    @Override
    public @Nullable Object next() {
        InboundMessage message = hasNext() ? next : null;
        if (message == null) {
            throw new NoSuchElementException("the stream has ended");
        }
        next = null;
        try {
            return method.decode(message);
        } catch (RpcException e) {
            throw failed(e);
        }
    }

    private @Nullable InboundMessage take() {
        try {
            InboundMessage message = stream.take();
            if (message == null) {
                ended = true;
                stream.close();
                call.succeeded();
            }
            return message;
        } catch (RpcException e) {
            throw failed(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failed(new RpcException(RpcStatus.CANCELLED, "the caller was interrupted while it waited", e));
        }
    }

    private RpcException failed(RpcException e) {
        ended = true;
        stream.close();
        return call.failed(e);
    }

    /** Ends the stream where it is. A second call does nothing. */
    @Override
    public void close() {
        InboundMessage untouched = next;
        next = null;
        if (untouched != null) {
            untouched.close();
        }
        if (!ended) {
            ended = true;
            stream.close();
            call.succeeded();
        }
    }
}
