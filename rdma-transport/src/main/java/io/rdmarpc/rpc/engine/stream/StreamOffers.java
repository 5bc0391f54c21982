package io.rdmarpc.rpc.engine.stream;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.memory.RegisteredBlock;
import io.rdmarpc.rpc.engine.context.EngineContext;

/** Messages on their way from the user's threads into a stream: a credit, memory that can be sent, the engine. */
final class StreamOffers {

    private final EngineStream stream;
    private final EngineContext context;
    private final StreamSender sender;

    StreamOffers(EngineStream stream, EngineContext context, StreamSender sender) {
        this.stream = stream;
        this.context = context;
        this.sender = sender;
    }

    /** False when there is no credit; the message stays the caller's then. */
    boolean offer(MessageBuffer message) {
        if (!sender.tryTakeCredit() && !starve()) {
            return false;
        }
        int length = message.messageBytes();
        RegisteredBlock block;
        try {
            block = message.take();
        } catch (RuntimeException | Error e) {
            sender.giveCreditBack();
            throw e;
        }
        send(block, length);
        return true;
    }

    /** Asks to be told of credit; true when some has come just before, and was taken. */
    private boolean starve() {
        if (!sender.starve()) {
            return false;
        }
        if (sender.tryTakeCredit()) {
            return true;
        }
        context.submit(sender::startWaiting);
        return false;
    }

    private void send(RegisteredBlock block, int length) {
        StreamItem item = StreamItem.message(length);
        if (stream.session().suits(block, length) || !context.isOwnedHere()) {
            item.block = settle(block, length);
            context.submit(now -> sender.append(item, now));
        } else {
            // Its place in the stream is taken now; its memory follows.
            context.submit(now -> sender.append(item, now));
            context.runBlocking(() -> settleLater(item, block));
        }
    }

    private RegisteredBlock settle(RegisteredBlock block, int length) {
        try {
            return stream.session().settle(block, length);
        } catch (RuntimeException | Error e) {
            sender.giveCreditBack();
            throw e;
        }
    }

    private void settleLater(StreamItem item, RegisteredBlock block) {
        try {
            RegisteredBlock moved = stream.session().settle(block, item.length);
            context.submit(now -> sender.settled(item, moved, now));
        } catch (RuntimeException | Error e) {
            context.submit(_ -> stream.lost(stream.session().unsettled("a message of the stream", e)));
        }
    }
}
