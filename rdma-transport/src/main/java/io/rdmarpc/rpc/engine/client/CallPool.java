package io.rdmarpc.rpc.engine.client;

import io.rdmarpc.rpc.engine.context.Expect;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The {@link Call} objects of one session, except those of prepared calls. Callers take them on any thread, and the
 * engine returns them. They are created on first use, up to the number of calls that may be outstanding. If callers
 * need more at a time, the pool does not keep the additional ones.
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

    private final ClientSession session;
    private final AtomicReferenceArray<@Nullable Call> calls;
    private final int[] below;
    private final AtomicInteger made = new AtomicInteger();
    private final AtomicLong head = new AtomicLong(pack(0, EMPTY));

    CallPool(ClientSession session, int capacity) {
        this.session = session;
        this.calls = new AtomicReferenceArray<>(capacity);
        this.below = new int[capacity];
    }

    Call take() {
        while (true) {
            long before = head.get();
            int number = (int) before;
            if (number == EMPTY) {
                return make();
            }
            // If another thread has taken the call and changed its link, the change count differs.
            if (head.compareAndSet(before, pack(before, below[number]))) {
                return Expect.present(calls.get(number));
            }
        }
    }

    private Call make() {
        int number = made.get() < below.length ? made.getAndIncrement() : below.length;
        if (number >= below.length) {
            return new Call(session, -1);
        }
        Call fresh = new Call(session, number);
        calls.set(number, fresh);
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
            below[number] = (int) before;
        } while (!head.compareAndSet(before, pack(before, number)));
    }

    private static long pack(long before, int number) {
        return ((before & COUNT_MASK) + ONE_CHANGE) | (number & ~COUNT_MASK);
    }
}
