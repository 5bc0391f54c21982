package io.rdmarpc.rpc.engine.client;

import io.rdmarpc.rpc.engine.context.Expect;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The {@link Call} objects of one session, except those of prepared calls. Callers take them on any thread, and the
 * engine returns them. They are created on first use, up to the number of calls that may be outstanding. If callers
 * need more at a time, the pool does not keep the additional ones. Most sessions use few of them, so the array of all
 * calls grows with their number.
 */
final class CallPool {

    /*
     * A stack of indices; the count makes a compare-and-set fail when the same call came back to the top in between:
     *
     *   63                            32 31            0
     *   +-------------------------------+---------------+
     *   |        change count           | number, or -1 |
     *   +-------------------------------+---------------+
     */
    private static final int EMPTY = -1;
    private static final long ONE_CHANGE = 1L << 32;
    private static final long COUNT_MASK = -ONE_CHANGE;

    private static final int FIRST_CALLS = 4;

    private final ClientSession session;
    private final int capacity;
    private final AtomicLong head = new AtomicLong(pack(0, EMPTY));

    /** All calls by number; replaced by a longer copy when it is full. */
    private volatile @Nullable Call[] calls = new Call[0];

    /** Number of calls in the array; guarded by this. */
    private int made;

    CallPool(ClientSession session, int capacity) {
        this.session = session;
        this.capacity = capacity;
    }

    Call take() {
        while (true) {
            long before = head.get();
            int number = (int) before;
            if (number == EMPTY) {
                return make();
            }
            Call top = Expect.present(calls[number]);
            // If another thread has taken the call and changed its link, the change count differs.
            if (head.compareAndSet(before, pack(before, top.below()))) {
                return top;
            }
        }
    }

    private synchronized Call make() {
        if (made == capacity) {
            return new Call(session, -1);
        }
        Call fresh = new Call(session, made);
        @Nullable Call[] known = calls;
        if (made == known.length) {
            known = Arrays.copyOf(known, Math.min(capacity, Math.max(FIRST_CALLS, 2 * made)));
        }
        known[made] = fresh;
        made++;
        calls = known;
        return fresh;
    }

    void put(Call call) {
        int number = call.number();
        if (number < 0) {
            return;
        }
        long before;
        do {
            before = head.get();
            call.below((int) before);
        } while (!head.compareAndSet(before, pack(before, number)));
    }

    private static long pack(long before, int number) {
        return ((before & COUNT_MASK) + ONE_CHANGE) | (number & ~COUNT_MASK);
    }
}
