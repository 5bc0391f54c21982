package io.rdmarpc.rpc.engine.client;

import io.rdmarpc.rpc.ResponseHandler;
import java.util.ArrayDeque;

/**
 * Calls of one session that were given up by another thread while their callers were still making them: the wish has
 * overtaken the call in the inbox. Engine thread only.
 *
 * <pre>
 *   caller       call --- allocates, registers memory ---&gt; inbox: call
 *   another one            cancel -&gt; inbox: wish            the engine takes the wish first
 * </pre>
 */
final class EarlyCancels {

    /** The handler of a call, and when the call was given up: one that begins later is another call. */
    private record Wish(ResponseHandler handler, long atNanos) {

        boolean isFor(Call call) {
            return call.isFor(handler) && call.begunNanos() - atNanos <= 0;
        }
    }

    private final ArrayDeque<Wish> wishes = new ArrayDeque<>(0);

    /** Keeps a wish. There are no more than calls on their way; older ones were for calls that had ended. */
    void add(ResponseHandler handler, long atNanos, int callsOnTheirWay) {
        if (callsOnTheirWay > 0) {
            wishes.addLast(new Wish(handler, atNanos));
        }
        while (wishes.size() > callsOnTheirWay) {
            wishes.removeFirst();
        }
    }

    boolean isEmpty() {
        return wishes.isEmpty();
    }

    /** Tells whether a call that has come now was given up before, and forgets the wish. */
    boolean take(Call call) {
        return !wishes.isEmpty() && wishes.removeIf(wish -> wish.isFor(call));
    }
}
