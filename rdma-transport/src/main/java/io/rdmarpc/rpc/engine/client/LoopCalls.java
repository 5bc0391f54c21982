package io.rdmarpc.rpc.engine.client;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Free {@link Call} objects of one engine, for calls that begin on the thread that runs its loop. Calls of all sessions
 * use them, so that a call in one of many sessions finds its object in the cache. Elements above the top of the stack
 * are not cleared, because with G1 storing a reference costs a fence. Owner of the loop only.
 */
final class LoopCalls {

    /** Maximum number of free objects that are kept. */
    private static final int MAX_KEPT = 1024;

    private static final int FIRST_KEPT = 64;

    private @Nullable Call[] stack = new Call[FIRST_KEPT];
    private int count;

    /** Returns a free call for a session. */
    Call take(ClientSession session) {
        Call top = count == 0 ? null : stack[--count];
        Call taken = top == null ? Call.ofLoop(session) : top;
        taken.use(session);
        return taken;
    }

    void put(Call call) {
        if (count == stack.length) {
            if (count == MAX_KEPT) {
                return;
            }
            stack = Arrays.copyOf(stack, 2 * count);
        }
        if (stack[count] != call) {
            stack[count] = call;
        }
        count++;
    }
}
