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
 * Tests a session before its first use with a call of a method that no server has. Any response shows that packets
 * arrive in both directions. Used only if there is a fallback path.
 */
final class PathProbe implements ResponseHandler {

    /** A method id that no service may have. */
    static final int METHOD = 0;

    private static final Duration MAX_LIMIT = Duration.ofSeconds(1);

    private final ControlContext context;
    private final long limitNanos;
    private final Consumer<@Nullable String> outcome;

    private PathProbe(ControlContext context, long limitNanos, Consumer<@Nullable String> outcome) {
        this.context = context;
        this.limitNanos = limitNanos;
        this.outcome = outcome;
    }

    /** Starts a probe. The result goes to the control thread: null if the path works, otherwise the problem. */
    static void start(
            ControlContext context, ClientSession session, long deadline, Consumer<@Nullable String> outcome) {
        long left = deadline - context.loop.now();
        long limit = Math.max(1, Math.min(MAX_LIMIT.toNanos(), left / 2));
        PathProbe probe = new PathProbe(context, limit, outcome);
        MessageBuffer empty;
        try {
            empty = session.allocate(0);
        } catch (RdmaException e) {
            probe.end("no memory for a probe of the path to the server: " + e.getMessage());
            return;
        }
        session.call(METHOD, empty, limit, probe);
    }

    @Override
    public void onResponse(InboundMessage response) {
        response.close();
        end(null);
    }

    @Override
    public void onFailure(RdmaRpcException failure) {
        end(
                isResponse(failure)
                        ? null
                        : "no response over RDMA within "
                                + Duration.ofNanos(limitNanos).toMillis() + " ms (" + failure.getMessage() + ")");
    }

    /**
     * Returns whether the failure is a rejection by the server, which lacks the method, and not a failure that this
     * side detected.
     */
    private static boolean isResponse(RdmaRpcException failure) {
        return switch (failure.status()) {
            case UNAVAILABLE, DEADLINE_EXCEEDED, BACKPRESSURE, CANCELLED -> false;
            default -> true;
        };
    }

    private void end(@Nullable String problem) {
        context.loop.execute(() -> outcome.accept(problem));
    }
}
