package io.rdmarpc.async;

import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.wr.SendFlags;
import io.rdmarpc.verbs.wr.SendRequests;
import java.lang.foreign.Arena;
import java.util.concurrent.locks.ReentrantLock;

/** The send queue: all operations except receives. Each work request is signaled. */
final class SendOperationQueue extends OperationQueue {

    private final QueuePair qp;
    private final long wrIdBase;
    private final ScratchWords scratch;
    private final SendRequests request = SendRequests.allocate(Arena.ofAuto(), 1, 1);

    SendOperationQueue(ReentrantLock lock, QueuePair qp, long wrIdBase, ScratchWords scratch, int depth, int backlog) {
        super(lock, depth, backlog);
        this.qp = qp;
        this.wrIdBase = wrIdBase;
        this.scratch = scratch;
    }

    @Override
    int post(Operation<?> operation, int slot) {
        LocalSlice local = operation.local();
        // Some devices interpret an entry of length 0 as 2 GiB.
        int sges = local != null && local.length() == 0 ? 0 : 1;
        request.set(0, wrIdBase | slot, operation.kind().opcode(), SendFlags.SIGNALED, sges);
        if (local == null) {
            request.setSge(0, 0, scratch.address(slot), Operation.ATOMIC_BYTES, scratch.lkey());
        } else {
            request.setSge(
                    0, 0, local.address(), (int) local.length(), local.region().lkey());
        }
        request.setImmediate(0, operation.immediate);
        setRemote(operation);
        request.chain(0, 1);
        return qp.postSend(request, 0);
    }

    private void setRemote(Operation<?> operation) {
        RemoteMemoryRange remote = operation.remote();
        if (remote == null) {
            return;
        }
        switch (operation.kind()) {
            case COMPARE_AND_SWAP ->
                request.setCompareAndSwap(
                        0, remote.address(), remote.rkey(), operation.firstOperand, operation.secondOperand);
            case FETCH_AND_ADD -> request.setFetchAndAdd(0, remote.address(), remote.rkey(), operation.firstOperand);
            default -> request.setRemote(0, remote.address(), remote.rkey());
        }
    }
}
