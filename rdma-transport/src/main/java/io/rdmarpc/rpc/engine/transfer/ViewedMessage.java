package io.rdmarpc.rpc.engine.transfer;

import io.rdmarpc.rpc.message.InboundMessage;
import io.rdmarpc.transport.RemoteView;
import java.lang.foreign.MemorySegment;

/** A large message in its sender's memory, which is not used again until it is closed, from any thread. */
record ViewedMessage(RemoteView view, MemorySegment payload) implements InboundMessage {

    @Override
    public int length() {
        return (int) payload.byteSize();
    }

    @Override
    public void close() {
        view.close();
    }
}
