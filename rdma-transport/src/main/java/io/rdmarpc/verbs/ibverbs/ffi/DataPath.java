package io.rdmarpc.verbs.ibverbs.ffi;

import io.rdmarpc.verbs.error.Errno;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * The verbs of the hot path. In C they are inline functions of the header that call through the pointers of the
 * context; here too, so there is no symbol to look up.
 *
 * <p>The handles are constants and the addresses are passed as longs: after warm-up a call is a register shuffle and an
 * indirect call, and allocates nothing. Polling is always a critical call, which skips the thread state transition: it
 * reads memory and returns. Posting is one only where the provider makes no system call for it; elsewhere a critical
 * call would hold up every safepoint for its time. Sends and receives may differ in that.
 *
 * @param pollCq {@code int (*poll_cq)(struct ibv_cq *, int, struct ibv_wc *)}
 * @param requestNotifyCq {@code int (*req_notify_cq)(struct ibv_cq *, int)}
 * @param postSend {@code int (*post_send)(struct ibv_qp *, struct ibv_send_wr *, struct ibv_send_wr **)}
 * @param postReceive {@code int (*post_recv)(struct ibv_qp *, struct ibv_recv_wr *, struct ibv_recv_wr **)}
 * @param postSrqReceive {@code int (*post_srq_recv)(struct ibv_srq *, struct ibv_recv_wr *, struct ibv_recv_wr **)}
 * @param sendsInUserSpace whether posting a send, and arming, need no system call
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
     * @return how many completions were taken, or {@code -EIO}: providers return any negative number they like
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
     * @param bad where the provider writes the address of the first request it did not take
     * @return 0 or an error number
     */
    public int postSend(long qp, long requests, long bad) {
        return post(postSend, sendsInUserSpace, qp, requests, bad);
    }

    /**
     * Posts receives.
     *
     * @param bad where the provider writes the address of the first request it did not take
     * @return 0 or an error number
     */
    public int postReceive(long qp, long requests, long bad) {
        return post(postReceive, receivesInUserSpace, qp, requests, bad);
    }

    /**
     * Posts receives to a shared receive queue.
     *
     * @param bad where the provider writes the address of the first request it did not take
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

    /** Providers return the error number; old ones its negative, or -1 for whatever was wrong with the request. */
    private static int errorNumber(int negative) {
        return negative == -1 ? Errno.EINVAL : -negative;
    }

    @SuppressWarnings("restricted") // Called with the pointers of ibv_context_ops, whose signatures these are.
    private static MethodHandle downcall(FunctionDescriptor signature, Linker.Option... options) {
        return Linker.nativeLinker().downcallHandle(signature, options);
    }

    private static AssertionError impossible(Throwable e) {
        return new AssertionError("a native call throws nothing", e);
    }
}
