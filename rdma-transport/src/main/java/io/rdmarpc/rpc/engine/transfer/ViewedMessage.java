package io.rdmarpc.rpc.engine.transfer;

import io.rdmarpc.rpc.message.InboundMessage;
import io.rdmarpc.transport.RemoteView;
import java.lang.foreign.MemorySegment;

/**
 * A large message in its sender's memory. The sender does not reuse the memory until the message is closed, which any
 * thread may do.
 */
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
