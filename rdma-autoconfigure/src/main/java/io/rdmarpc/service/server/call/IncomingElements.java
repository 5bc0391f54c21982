package io.rdmarpc.service.server.call;

import io.rdmarpc.rpc.BlockingStream;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.message.InboundMessage;
import io.rdmarpc.service.codec.MethodCodec;
import io.rdmarpc.service.contract.ResultShape;
import io.rdmarpc.service.stream.DecodedElements;
import io.rdmarpc.service.stream.Elements;
import io.rdmarpc.service.stream.Reactor;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/** The elements of a streamed argument, which the method's thread consumes one by one and waits for. */
final class IncomingElements extends DecodedElements {

    private final BlockingStream stream;
    private final MethodCodec codec;

    IncomingElements(BlockingStream stream, MethodCodec codec) {
        this.stream = stream;
        this.codec = codec;
    }

    /** Returns the elements in the declared type. */
    Object as(ResultShape shape) {
        return switch (shape) {
            case STREAM -> StreamSupport.stream(Spliterators.spliteratorUnknownSize(this, Spliterator.ORDERED), false);
            case FLUX -> Reactor.fluxOf(() -> new Elements(this, () -> {}));
            default -> this;
        };
    }

    @Override
    protected void read() {
        try (InboundMessage message = take()) {
            if (message != null) {
                found(codec.decodeArguments(message)[0]);
            }
        }
    }

    private @Nullable InboundMessage take() {
        try {
            return stream.take();
        } catch (RdmaRpcException e) {
            throw new ServerStream.ClientGoneException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(
                    "the method's thread was interrupted while it waited for an element of the client's stream", e);
        }
    }
}
