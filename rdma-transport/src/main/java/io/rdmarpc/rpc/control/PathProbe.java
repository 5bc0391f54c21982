package io.rdmarpc.rpc.control;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.ResponseHandler;
import io.rdmarpc.rpc.engine.client.ClientSession;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.message.InboundMessage;
import io.rdmarpc.verbs.error.RdmaException;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Tries a session before anybody uses it: a call of a method that no server has. Any answer shows that packets go both
 * ways. Only where there is another way to go.
 */
final class PathProbe implements ResponseHandler {

    /** No service may have a method of this id. */
    static final int METHOD = 0;

    private static final Duration LONGEST = Duration.ofSeconds(1);

    private final ControlContext context;
    private final long limitNanos;
    private final Consumer<@Nullable String> outcome;

    private PathProbe(ControlContext context, long limitNanos, Consumer<@Nullable String> outcome) {
        this.context = context;
        this.limitNanos = limitNanos;
        this.outcome = outcome;
    }

    /** The outcome goes to the control thread: null when the way works, else why not. */
    static void start(
            ControlContext context, ClientSession session, long deadline, Consumer<@Nullable String> outcome) {
        long left = deadline - context.loop.now();
        long limit = Math.max(1, Math.min(LONGEST.toNanos(), left / 2));
        PathProbe probe = new PathProbe(context, limit, outcome);
        MessageBuffer nothing;
        try {
            nothing = session.allocate(0);
        } catch (RdmaException e) {
            probe.end("no memory to try the way to the server: " + e.getMessage());
            return;
        }
        session.call(METHOD, nothing, limit, probe);
    }

    @Override
    public void onResponse(InboundMessage response) {
        response.close();
        end(null);
    }

    @Override
    public void onFailure(RdmaRpcException failure) {
        end(
                isAnswer(failure)
                        ? null
                        : "nothing came back over RDMA within "
                                + Duration.ofNanos(limitNanos).toMillis() + " ms (" + failure.getMessage() + ")");
    }

    /** A rejection of the server, for it has no such method, and not what this side has noticed by itself. */
    private static boolean isAnswer(RdmaRpcException failure) {
        return switch (failure.status()) {
            case UNAVAILABLE, DEADLINE_EXCEEDED, BACKPRESSURE, CANCELLED -> false;
            default -> true;
        };
    }

    private void end(@Nullable String problem) {
        context.loop.execute(() -> outcome.accept(problem));
    }
}
