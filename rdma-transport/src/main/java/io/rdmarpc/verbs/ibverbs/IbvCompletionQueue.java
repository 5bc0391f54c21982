package io.rdmarpc.verbs.ibverbs;

import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.Errno;
import io.rdmarpc.verbs.WorkCompletions;
import io.rdmarpc.verbs.ibverbs.ffi.CqStruct;
import io.rdmarpc.verbs.ibverbs.ffi.DataPath;
import java.lang.ref.Reference;
import java.util.function.Supplier;

/**
 * A completion queue. Closing it closes the queue pairs that use it.
 *
 * <p>A poll after the close answers {@code -EINVAL}. A poll that runs on another thread during the close is the
 * caller's error, as in C: the check is a plain read so that polling costs no fence.
 */
final class IbvCompletionQueue implements CompletionQueue, Children.Child {

    private final IbvContext context;
    private final CqStruct struct;
    private final long pointer;
    private final int capacity;
    private final DataPath dataPath;
    private final Lifetime lifetime;
    private final Children queuePairs = new Children();
    private boolean pollable = true;

    IbvCompletionQueue(IbvContext context, CqStruct struct) {
        this.context = context;
        this.struct = struct;
        this.pointer = struct.pointer();
        this.capacity = struct.cqe();
        this.dataPath = context.dataPath();
        this.lifetime = new Lifetime("completion queue", context.deviceName());
        context.children().add(this);
    }

    @Override
    public int poll(WorkCompletions into, int max) {
        if (!pollable || max < 0) {
            return -Errno.EINVAL;
        }
        try {
            return dataPath.poll(pointer, Math.min(max, into.capacity()), into.address());
        } finally {
            Reference.reachabilityFence(into);
        }
    }

    @Override
    public int capacity() {
        return capacity;
    }

    <T> T whileOpen(String verb, Supplier<T> action) {
        return lifetime.whileOpen(verb, action);
    }

    IbvContext context() {
        return context;
    }

    long pointer() {
        return pointer;
    }

    Children queuePairs() {
        return queuePairs;
    }

    @Override
    public void close() {
        lifetime.end(
                queuePairs::closeAll,
                () -> pollable = false,
                () -> context.children().remove(this),
                () -> context.library()
                        .destroyCq(struct)
                        .check(context.deviceName(), errno -> "A queue pair still uses the completion queue"));
    }
}
