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
 * Sends the elements of a streamed argument on a thread of its own, as the server takes them, while the caller takes what
 * comes back.
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
        // The server has ended the stream, or the caller has: the source need not wait for more.
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
            // Does nothing where the stream itself has failed.
            stream.fail(RpcStatus.CANCELLED, thrown.getClass().getName(), "the caller's elements ended early");
        }
    }

    /** What the caller is told when the stream has failed: this side's reason where it is the first. */
    RdmaRpcException reasonOf(RdmaRpcException streamFailure) {
        Throwable own = failure;
        return own == null || own instanceof RdmaRpcException
                ? streamFailure
                : new RdmaRpcException(RpcStatus.CANCELLED, "the elements of the argument failed: " + own, own);
    }

    /** No more elements are wanted. */
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
