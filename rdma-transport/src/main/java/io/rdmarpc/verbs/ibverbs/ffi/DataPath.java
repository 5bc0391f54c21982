package io.rdmarpc.verbs.ibverbs.ffi;

import io.rdmarpc.verbs.error.Errno;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * The verbs of the hot path. In C they are inline functions of the header that call through the pointers of the
 * context. This class calls the pointers too, so that no symbol lookup is needed.
 *
 * <p>The handles are constants and the addresses are passed as longs. After warm-up, a call moves registers and jumps
 * indirectly, and allocates nothing. Polling is always a critical call, which skips the thread state transition,
 * because it only reads memory and returns. Posting is a critical call only if the provider needs no system call for
 * it. Otherwise a critical call would delay every safepoint for its duration. Sends and receives may differ in this.
 *
 * @param pollCq {@code int (*poll_cq)(struct ibv_cq *, int, struct ibv_wc *)}
 * @param requestNotifyCq {@code int (*req_notify_cq)(struct ibv_cq *, int)}
 * @param postSend {@code int (*post_send)(struct ibv_qp *, struct ibv_send_wr *, struct ibv_send_wr **)}
 * @param postReceive {@code int (*post_recv)(struct ibv_qp *, struct ibv_recv_wr *, struct ibv_recv_wr **)}
 * @param postSrqReceive {@code int (*post_srq_recv)(struct ibv_srq *, struct ibv_recv_wr *, struct ibv_recv_wr **)}
 * @param sendsInUserSpace whether posting a send and arming a queue need no system call
 * @param receivesInUserSpace whether posting a receive needs no system call
 */
public record DataPath(
        MemorySegment pollCq,
        MemorySegment requestNotifyCq,
        MemorySegment postSend,
        MemorySegment postReceive,
        MemorySegment postSrqReceive,
        boolean sendsInUserSpace,
        boolean receivesInUserSpace) {

    private static final FunctionDescriptor POLL_SIGNATURE = FunctionDescriptor.of(
            ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG);
    private static final FunctionDescriptor POST_SIGNATURE = FunctionDescriptor.of(
            ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG);

    private static final FunctionDescriptor NOTIFY_SIGNATURE =
            FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT);

    private static final MethodHandle NOTIFY = downcall(NOTIFY_SIGNATURE);
    private static final MethodHandle NOTIFY_IN_USER_SPACE = downcall(NOTIFY_SIGNATURE, Linker.Option.critical(false));
    private static final MethodHandle POLL = downcall(POLL_SIGNATURE, Linker.Option.critical(false));
    private static final MethodHandle POST = downcall(POST_SIGNATURE);
    private static final MethodHandle POST_IN_USER_SPACE = downcall(POST_SIGNATURE, Linker.Option.critical(false));

    /**
     * Polls a completion queue.
     *
     * @return the number of completions, or {@code -EIO} for any negative number of a provider
     */
    public int poll(long cq, int max, long completions) {
        int taken;
        try {
            taken = (int) POLL.invokeExact(pollCq, cq, max, completions);
        } catch (Throwable e) {
            throw impossible(e);
        }
        return taken < 0 ? -Errno.EIO : taken;
    }

    /**
     * Arms a completion queue.
     *
     * @return 0 or an error number
     */
    public int requestNotify(long cq, boolean solicitedOnly) {
        int result;
        try {
            result = sendsInUserSpace
                    ? (int) NOTIFY_IN_USER_SPACE.invokeExact(requestNotifyCq, cq, solicitedOnly ? 1 : 0)
                    : (int) NOTIFY.invokeExact(requestNotifyCq, cq, solicitedOnly ? 1 : 0);
        } catch (Throwable e) {
            throw impossible(e);
        }
        return result >= 0 ? result : errorNumber(result);
    }

    /**
     * Posts sends.
     *
     * @param bad receives the address of the first request that the provider did not accept
     * @return 0 or an error number
     */
    public int postSend(long qp, long requests, long bad) {
        return post(postSend, sendsInUserSpace, qp, requests, bad);
    }

    /**
     * Posts receives.
     *
     * @param bad receives the address of the first request that the provider did not accept
     * @return 0 or an error number
     */
    public int postReceive(long qp, long requests, long bad) {
        return post(postReceive, receivesInUserSpace, qp, requests, bad);
    }

    /**
     * Posts receives to a shared receive queue.
     *
     * @param bad receives the address of the first request that the provider did not accept
     * @return 0 or an error number
     */
    public int postSrqReceive(long srq, long requests, long bad) {
        return post(postSrqReceive, receivesInUserSpace, srq, requests, bad);
    }

    private static int post(MemorySegment function, boolean inUserSpace, long queue, long requests, long bad) {
        int result;
        try {
            result = inUserSpace
                    ? (int) POST_IN_USER_SPACE.invokeExact(function, queue, requests, bad)
                    : (int) POST.invokeExact(function, queue, requests, bad);
        } catch (Throwable e) {
            throw impossible(e);
        }
        return result >= 0 ? result : errorNumber(result);
    }

    /**
     * Returns the error number of a negative result. Old providers return the negative error number, or -1 for any
     * invalid request.
     */
    private static int errorNumber(int negative) {
        return negative == -1 ? Errno.EINVAL : -negative;
    }

    @SuppressWarnings("restricted") // The signatures are those of the pointers in ibv_context_ops.
    private static MethodHandle downcall(FunctionDescriptor signature, Linker.Option... options) {
        return Linker.nativeLinker().downcallHandle(signature, options);
    }

    private static AssertionError impossible(Throwable e) {
        return new AssertionError("a native call throws nothing", e);
    }
}
