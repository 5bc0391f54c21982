package io.rdmarpc.rpc.engine.client;

import io.rdmarpc.rpc.ResponseHandler;
import java.util.ArrayDeque;

/**
 * Cancellations of one session's calls that another thread requested while the callers were still submitting those
 * calls. The cancellation has overtaken its call in the inbox. Engine thread only.
 *
 * <pre>
 *   caller           call --- allocates, registers memory ---&gt; inbox: call
 *   another thread         cancel -&gt; inbox: cancellation     the engine runs the cancellation first
 * </pre>
 */
final class EarlyCancels {

    /** The handler of a cancelled call, and the time of the cancellation. A call that begins later is another call. */
    private record Cancellation(ResponseHandler handler, long atNanos) {

        boolean isFor(Call call) {
            return call.isFor(handler) && call.begunNanos() - atNanos <= 0;
        }
    }

    private final ArrayDeque<Cancellation> cancellations = new ArrayDeque<>(0);

    /**
     * Adds a cancellation. Keeps at most as many cancellations as calls that have not reached the engine. Older ones
     * belong to calls that have ended.
     */
    void add(ResponseHandler handler, long atNanos, int callsInTransit) {
        if (callsInTransit > 0) {
            cancellations.addLast(new Cancellation(handler, atNanos));
        }
        while (cancellations.size() > callsInTransit) {
            cancellations.removeFirst();
        }
    }

    boolean isEmpty() {
        return cancellations.isEmpty();
    }

    /** Returns whether a call that now reaches the engine was cancelled, and removes the cancellation. */
    boolean take(Call call) {
        return !cancellations.isEmpty() && cancellations.removeIf(cancellation -> cancellation.isFor(call));
    }
}
