package io.rdmarpc.verbs.ibverbs;

import io.rdmarpc.verbs.CompletionChannel;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.ibverbs.device.Children;
import io.rdmarpc.verbs.ibverbs.device.Lifetime;
import io.rdmarpc.verbs.ibverbs.device.Nanos;
import io.rdmarpc.verbs.ibverbs.device.OpenDevice;
import io.rdmarpc.verbs.ibverbs.ffi.CompletionEvents;
import io.rdmarpc.verbs.ibverbs.ffi.DescriptorWait;
import io.rdmarpc.verbs.ibverbs.ffi.struct.CompChannelStruct;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * A completion channel. Closing it closes its completion queues.
 *
 * <p>A wait prevents the channel from being closed, so that no thread waits on a file descriptor that was reused.
 * Closing first wakes the waiting thread. A wait is a {@code poll(2)}: an interrupt does not end it.
 */
final class IbvCompletionChannel implements CompletionChannel, Children.Child {

    private static final String WAIT = "ibv_get_cq_event";

    private final OpenDevice context;
    private final CompChannelStruct struct;
    private final CompletionEvents events;
    private final DescriptorWait wait;
    private final Lifetime lifetime;
    private final Children queues = new Children();
    private final AtomicBoolean isWaitedFor = new AtomicBoolean();
    private volatile boolean closing;

    IbvCompletionChannel(OpenDevice context, CompChannelStruct struct, DescriptorWait wait) {
        this.context = context;
        this.struct = struct;
        this.events = context.library().completionEvents(struct);
        this.wait = wait;
        this.lifetime = new Lifetime("completion channel", context.deviceName());
        context.children().add(this);
    }

    @Override
    public int await(Duration timeout) {
        lifetime.enter(WAIT);
        try {
            if (!isWaitedFor.compareAndSet(false, true)) {
                throw failure(Errno.EBUSY, "Another thread waits on this channel: create one channel for each thread");
            }
            return awaitAlone(Nanos.of(timeout));
        } finally {
            lifetime.exit();
        }
    }

    private int awaitAlone(long nanos) {
        try {
            boolean ready = !closing && wait.await(nanos);
            if (closing) {
                throw lifetime.closed(WAIT);
            }
            return ready ? takeAll() : 0;
        } finally {
            isWaitedFor.set(false);
        }
    }

    private int takeAll() {
        int taken = events.takeAll();
        if (taken < 0) {
            throw failure(-taken, "The device is gone: its work requests do not complete");
        }
        return taken;
    }

    private RdmaVerbsException failure(int errno, String explanation) {
        return new RdmaVerbsException(WAIT, context.deviceName(), errno, explanation);
    }

    @Override
    public void wakeUp() {
        lifetime.ifOpen(wait::wakeUp);
    }

    <T> T whileOpen(String verb, Supplier<T> action) {
        return lifetime.whileOpen(verb, action);
    }

    OpenDevice context() {
        return context;
    }

    long pointer() {
        return struct.pointer();
    }

    Children queues() {
        return queues;
    }

    @Override
    public void close() {
        closing = true;
        wakeUp();
        lifetime.end(
                queues::closeAll,
                () -> context.library()
                        .destroyCompChannel(struct)
                        .check(context.deviceName(), errno -> "A completion queue still uses the channel"),
                wait::close,
                () -> context.children().remove(this));
    }
}
