package io.rdmarpc.verbs.ibverbs.ffi;

import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.ffi.CStruct;
import io.rdmarpc.verbs.ffi.LibC;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * The events of a completion channel.
 *
 * <p>Each event is acknowledged as soon as it is read. {@code ibv_destroy_cq} waits until all events of its queue are
 * acknowledged. A late acknowledgment would block the thread that closes the queue. Not thread-safe; allocates nothing.
 */
public final class CompletionEvents {

    private static final int ONE_EVENT = 1;

    /** {@code int ibv_get_cq_event(struct ibv_comp_channel *, struct ibv_cq **cq, void **cq_context)}. */
    private static final MethodHandle GET = downcall(
            FunctionDescriptor.of(CStruct.U32, CStruct.POINTER, CStruct.POINTER, CStruct.POINTER),
            Linker.Option.captureCallState("errno"));

    /** {@code void ibv_ack_cq_events(struct ibv_cq *cq, unsigned int nevents)}. */
    private static final MethodHandle ACKNOWLEDGE = downcall(FunctionDescriptor.ofVoid(CStruct.POINTER, CStruct.U32));

    private final MemorySegment get;
    private final MemorySegment acknowledge;
    private final long channel;
    private final Arena arena = Arena.ofAuto();
    private final MemorySegment callState = arena.allocate(LibC.CALL_STATE);
    private final MemorySegment queue = arena.allocate(ValueLayout.JAVA_LONG);
    private final MemorySegment queueContext = arena.allocate(ValueLayout.JAVA_LONG);

    CompletionEvents(MemorySegment get, MemorySegment acknowledge, long channel) {
        this.get = get;
        this.acknowledge = acknowledge;
        this.channel = channel;
    }

    /**
     * Reads and acknowledges all pending events. The channel's descriptor must be non-blocking.
     *
     * @return the number of events, or a negative error number if the device was removed
     */
    public int takeAll() {
        int taken = 0;
        int errno;
        while ((errno = take()) == 0 || errno == LibC.EINTR) {
            if (errno == 0) {
                acknowledge(queue.get(ValueLayout.JAVA_LONG, 0));
                taken++;
            }
        }
        return taken > 0 || errno == Errno.EAGAIN ? taken : -errno;
    }

    private int take() {
        int result;
        try {
            result = (int) GET.invokeExact(get, callState, channel, queue.address(), queueContext.address());
        } catch (Throwable e) {
            throw LibC.impossible(e);
        }
        return result == 0 ? 0 : LibC.errno(callState);
    }

    private void acknowledge(long cq) {
        try {
            ACKNOWLEDGE.invokeExact(acknowledge, cq, ONE_EVENT);
        } catch (Throwable e) {
            throw LibC.impossible(e);
        }
    }

    @SuppressWarnings("restricted") // The signatures are those of the two symbols.
    private static MethodHandle downcall(FunctionDescriptor signature, Linker.Option... options) {
        return Linker.nativeLinker().downcallHandle(signature, options);
    }
}
