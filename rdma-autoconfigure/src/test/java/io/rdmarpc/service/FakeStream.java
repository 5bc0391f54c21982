package io.rdmarpc.service;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.RpcStream;
import io.rdmarpc.rpc.StreamReceiver;
import io.rdmarpc.rpc.error.RdmaErrorDetails;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RpcStatus;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** One end of a stream whose other end is the test. */
public final class FakeStream extends TestAllocator implements RpcStream {

    /** The messages that the test has sent, in order. */
    public final List<Messages.Received> items = new CopyOnWriteArrayList<>();

    public volatile boolean cancelled;

    private final StreamReceiver receiver;

    public FakeStream(StreamReceiver receiver) {
        super(new Messages().buffers(), Messages.MOST);
        this.receiver = receiver;
    }

    public void send(MessageBuffer message) {
        Messages.Received item = Messages.received(Messages.send(message));
        items.add(item);
        receiver.onItem(item);
    }

    public void end() {
        receiver.onEnd();
    }

    public void breakOff(RpcStatus status) {
        receiver.onFailure(new RdmaRpcException(status, "the stream has failed"));
    }

    @Override
    public boolean offer(MessageBuffer message) {
        byte[] _ = Messages.send(message);
        return true;
    }

    @Override
    public void complete() {}

    @Override
    public void fail(RpcStatus status, String remoteType, String message, RdmaErrorDetails details) {
        breakOff(status);
    }

    @Override
    public void cancel() {
        cancelled = true;
        breakOff(RpcStatus.CANCELLED);
    }

    @Override
    public void request(int messages) {}
}
