package io.rdmarpc.async;

import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.wr.ReceiveRequests;
import java.lang.foreign.Arena;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;

/** The receive queue: buffers for the peer's messages, used in the order in which they were posted. */
final class ReceiveOperationQueue extends OperationQueue {

    private final QueuePair qp;
    private final long wrIdBase;
    private final ReceiveRequests request = ReceiveRequests.allocate(Arena.ofAuto(), 1);

    ReceiveOperationQueue(ReentrantLock lock, QueuePair qp, long wrIdBase, int depth, int backlog) {
        super(lock, depth, backlog);
        this.qp = qp;
        this.wrIdBase = wrIdBase;
    }

    @Override
    int post(Operation<?> operation, int slot) {
        LocalSlice local = Objects.requireNonNull(operation.local());
        // Some devices interpret an entry of length 0 as 2 GiB.
        request.set(0, wrIdBase | slot, local.length() == 0 ? 0 : 1);
        request.setSge(
                0, 0, local.address(), (int) local.length(), local.region().lkey());
        request.chain(0, 1);
        return qp.postReceive(request, 0);
    }
}
