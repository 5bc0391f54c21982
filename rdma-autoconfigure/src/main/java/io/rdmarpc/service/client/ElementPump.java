package io.rdmarpc.service.client;

import io.rdmarpc.rpc.BlockingStream;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.service.codec.MethodCodec;
import io.rdmarpc.service.stream.Elements;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * Sends the elements of a streamed argument on its own thread, as the server grants credits. Meanwhile the caller
 * consumes the response.
 */
final class ElementPump implements Runnable {

    private final RpcSession session;
    private final BlockingStream stream;
    private final MethodCodec codec;
    private final Object source;
    private volatile @Nullable Thread thread;
    private volatile @Nullable Elements elements;
    private volatile @Nullable Throwable failure;
    private volatile boolean stopped;

    ElementPump(RpcSession session, BlockingStream stream, MethodCodec codec, Object source) {
        this.session = session;
        this.stream = stream;
        this.codec = codec;
        this.source = source;
    }

    void start() {
        thread = Thread.ofVirtual().name("rdma-elements").start(this);
        // The server or the caller has ended the stream, so the source need not produce more.
        stream.whenFailed(() -> Thread.ofVirtual().start(this::release));
    }

    @Override
    public void run() {
        try (Elements taken = Elements.of(source)) {
            elements = taken;
            if (stopped) {
                return;
            }
            sendAll(taken.iterator());
            stream.complete();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Throwable e) {
            failed(e);
        }
    }

    private void sendAll(Iterator<?> iterator) throws InterruptedException {
        while (!stopped && iterator.hasNext()) {
            stream.send(codec.encodeArguments(session, stream, new @Nullable Object[] {iterator.next()}));
        }
    }

    private void failed(Throwable thrown) {
        if (!stopped) {
            failure = thrown;
            // Has no effect if the stream itself has failed.
            stream.fail(RpcStatus.CANCELLED, thrown.getClass().getName(), "the client's source of elements failed");
        }
    }

    /**
     * Returns the exception for the caller after the stream has failed: the source's failure if that was the cause.
     */
    RdmaRpcException reasonOf(RdmaRpcException streamFailure) {
        Throwable own = failure;
        return own == null || own instanceof RdmaRpcException
                ? streamFailure
                : new RdmaRpcException(
                        RpcStatus.CANCELLED, "the source of the argument's elements failed: " + own, own);
    }

    /** Stops sending elements. */
    void stop() {
        stopped = true;
        release();
        Thread running = thread;
        if (running != null) {
            running.interrupt();
        }
    }

    private void release() {
        Elements taken = elements;
        if (taken != null) {
            taken.cancel();
        }
    }
}
