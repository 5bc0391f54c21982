package io.rdmarpc.rpc.engine.stream;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.memory.RegisteredBlock;
import io.rdmarpc.rpc.engine.context.EngineContext;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RdmaUnavailableException;
import io.rdmarpc.rpc.error.RpcStatus;

/**
 * Passes messages from users' threads to a stream: takes a credit, moves the message to registered memory, and queues
 * it for the engine.
 */
final class StreamOffers {

    private final EngineStream stream;
    private final EngineContext context;
    private final StreamSender sender;

    StreamOffers(EngineStream stream, EngineContext context, StreamSender sender) {
        this.stream = stream;
        this.context = context;
        this.sender = sender;
    }

    /** Sends a message; returns false if there is no credit. The caller then still owns the message. */
    boolean offer(MessageBuffer message) {
        if (!sender.tryTakeCredit() && !requestCredit()) {
            return false;
        }
        int length = message.messageBytes();
        RegisteredBlock block;
        try {
            block = message.take();
        } catch (RuntimeException | Error e) {
            sender.returnCredit();
            throw e;
        }
        send(block, length);
        return true;
    }

    /** Requests a notification for the next credit. Returns true if a credit has arrived meanwhile and was taken. */
    private boolean requestCredit() {
        if (!sender.requestCredit()) {
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
            item.block = moveToSendable(block, length);
            context.submit(now -> sender.append(item, now));
        } else {
            // The message gets its position in the stream now, and registered memory later.
            context.submit(now -> sender.append(item, now));
            context.runBlocking(() -> moveLater(item, block));
        }
    }

    private RegisteredBlock moveToSendable(RegisteredBlock block, int length) {
        try {
            return stream.session().moveToSendable(block, length);
        } catch (RuntimeException | Error e) {
            sender.returnCredit();
            throw e;
        }
    }

    private void moveLater(StreamItem item, RegisteredBlock block) {
        try {
            RegisteredBlock moved = stream.session().moveToSendable(block, item.length);
            context.submit(now -> sender.onMoved(item, moved, now));
        } catch (RuntimeException | Error e) {
            context.submit(_ -> stream.lost(failure(e)));
        }
    }

    /**
     * Returns the failure of a stream whose message cannot be moved. The status is never {@code BACKPRESSURE}, because the
     * stream has begun: callers may repeat a call with that status, and the method would run twice.
     */
    private RdmaRpcException failure(Throwable reason) {
        RdmaRpcException failure = stream.session().moveFailure("a message of the stream", reason);
        return failure.status() == RpcStatus.BACKPRESSURE
                ? new RdmaUnavailableException(failure.getMessage() + ". Its method may have run", failure)
                : failure;
    }
}
