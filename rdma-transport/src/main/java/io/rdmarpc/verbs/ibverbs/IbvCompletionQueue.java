package io.rdmarpc.verbs.ibverbs;

import io.rdmarpc.verbs.CompletionChannel;
import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.ibverbs.device.Children;
import io.rdmarpc.verbs.ibverbs.device.Lifetime;
import io.rdmarpc.verbs.ibverbs.device.OpenDevice;
import io.rdmarpc.verbs.ibverbs.ffi.DataPath;
import io.rdmarpc.verbs.ibverbs.ffi.struct.CqStruct;
import io.rdmarpc.verbs.wr.WorkCompletions;
import java.lang.ref.Reference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A completion queue. Closing it closes the queue pairs that use it.
 *
 * <p>A poll after the close returns {@code -EINVAL}. Closing while another thread polls is an error of the caller, as
 * in C: the check is a plain read, which costs no fence.
 */
final class IbvCompletionQueue implements CompletionQueue, Children.Child {

    private final OpenDevice context;
    private final CqStruct struct;
    private final long pointer;
    private final @Nullable IbvCompletionChannel channel;
    private final DataPath dataPath;
    private final Lifetime lifetime;
    private final Children queuePairs = new Children();
    private volatile int capacity;
    private boolean pollable = true;

    IbvCompletionQueue(OpenDevice context, CqStruct struct, @Nullable IbvCompletionChannel channel) {
        this.context = context;
        this.struct = struct;
        this.pointer = struct.pointer();
        this.channel = channel;
        this.capacity = struct.cqe();
        this.dataPath = context.dataPath();
        this.lifetime = new Lifetime("completion queue", context.deviceName());
        context.children().add(this);
        context.eventTargets().add(pointer, this);
        if (channel != null) {
            channel.queues().add(this);
        }
    }

    @Override
    public int poll(WorkCompletions into, int max) {
        if (!pollable || max < 0) {
            return -Errno.EINVAL;
        }
        try {
            int count = dataPath.poll(pointer, Math.min(max, into.capacity()), into.address());
            if (count > 0) {
                into.readIn(count);
            }
            return count;
        } finally {
            Reference.reachabilityFence(into);
        }
    }

    @Override
    public int capacity() {
        return capacity;
    }

    /** {@inheritDoc} A queue without a channel returns EINVAL, because no thread could receive the event. */
    @Override
    public int requestNotification(boolean solicitedOnly) {
        return pollable && channel != null ? dataPath.requestNotify(pointer, solicitedOnly) : Errno.EINVAL;
    }

    @Override
    public int resize(int entries) {
        return lifetime.whileOpen("ibv_resize_cq", () -> {
            context.library().resizeCq(struct, entries).check(context.deviceName(), errno -> notResized(entries));
            capacity = struct.cqe();
            return capacity;
        });
    }

    private String notResized(int entries) {
        return entries + " entries were requested instead of " + capacity + "; the device's limit is "
                + context.attributes().maxCqe() + ", and the completions in the queue must fit";
    }

    @Override
    public @Nullable CompletionChannel channel() {
        return channel;
    }

    <T> T whileOpen(String verb, Supplier<T> action) {
        return lifetime.whileOpen(verb, action);
    }

    OpenDevice context() {
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
                () -> context.eventTargets().remove(pointer),
                () -> context.library()
                        .destroyCq(struct)
                        .check(context.deviceName(), errno -> "A queue pair still uses the completion queue"),
                this::leaveParents);
    }

    private void leaveParents() {
        context.children().remove(this);
        if (channel != null) {
            channel.queues().remove(this);
        }
    }
}
