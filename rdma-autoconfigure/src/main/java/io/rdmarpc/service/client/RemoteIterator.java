package io.rdmarpc.service.client;

import io.rdmarpc.rpc.BlockingStream;
import io.rdmarpc.rpc.InboundMessage;
import io.rdmarpc.rpc.RpcException;
import io.rdmarpc.rpc.RpcStatus;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * What a method streams, taken one by one on the caller's thread. The server is as far ahead as there are credits. Who
 * stops early closes it, from any thread; else it ends with the call's time.
 */
final class RemoteIterator implements Iterator<@Nullable Object>, AutoCloseable {

    private final ClientMethod method;
    private final ClientCall call;
    private final BlockingStream stream;
    private final @Nullable ElementPump pump;
    private final AtomicBoolean ended = new AtomicBoolean();
    private @Nullable InboundMessage next;

    RemoteIterator(ClientMethod method, ClientCall call, BlockingStream stream, @Nullable ElementPump pump) {
        this.method = method;
        this.call = call;
        this.stream = stream;
        this.pump = pump;
    }

    Stream<@Nullable Object> asStream() {
        Stream<@Nullable Object> items =
                StreamSupport.stream(Spliterators.spliteratorUnknownSize(this, Spliterator.ORDERED), false);
        return items.onClose(this::close);
    }

    @Override
    public boolean hasNext() {
        if (next == null && !ended.get()) {
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

    /** After the last one that is wanted. */
    void awaitEnd() {
        InboundMessage more = ended.get() ? null : take();
        if (more != null) {
            more.close();
        }
    }

    private @Nullable InboundMessage take() {
        try {
            InboundMessage message = stream.take();
            if (message == null && ended.compareAndSet(false, true)) {
                completeOwnHalf();
                stream.close();
                call.succeeded();
            }
            return message;
        } catch (RpcException e) {
            throw failed(pump == null ? e : pump.reasonOf(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failed(new RpcException(RpcStatus.CANCELLED, "the caller was interrupted while it waited", e));
        }
    }

    /** The server wants no more elements than it has taken. */
    private void completeOwnHalf() {
        if (pump != null) {
            pump.stop();
            stream.complete();
        }
    }

    private RpcException failed(RpcException e) {
        ended.set(true);
        letGo();
        return call.failed(e);
    }

    private void letGo() {
        if (pump != null) {
            pump.stop();
        }
        stream.close();
    }

    /** Ends the stream where it is. A second call does nothing. */
    @Override
    public void close() {
        if (ended.compareAndSet(false, true)) {
            letGo();
            call.succeeded();
        }
        InboundMessage untouched = next;
        if (untouched != null) {
            untouched.close();
        }
    }
}
