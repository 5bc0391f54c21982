package io.rdmarpc.service.client;

import io.rdmarpc.rpc.PeerIdentity;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.error.RdmaNotExecutedException;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RdmaTimeoutException;
import io.rdmarpc.rpc.error.RdmaUnavailableException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.service.CallMetadata;
import io.rdmarpc.service.CallOptions;
import io.rdmarpc.service.ClientCallContext;
import io.rdmarpc.service.EndListeners;
import io.rdmarpc.service.ServerAddress;
import io.rdmarpc.service.ServerCallContext;
import io.rdmarpc.service.contract.ServiceMethod;
import io.rdmarpc.service.events.ClientCallEvent;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** One call of a proxy, from its arguments to its end. It may have several attempts. */
final class ClientCall implements ClientCallContext {

    private static final @Nullable Object[] NO_ARGUMENTS = {};
    private static final VarHandle SESSION = sessionHandle();

    private final ClientMethod method;
    private final @Nullable Object[] arguments;
    private final @Nullable ClientCallEvent event = ClientCallEvent.begun();
    private final long startNanos = System.nanoTime();
    private final long timeoutNanos;
    private final EndListeners listeners = new EndListeners();
    private @Nullable CallMetadata metadata;
    /** Session of the last attempt that had one. Written before {@link #sent}, whose volatile write publishes it. */
    private volatile @Nullable RpcSession session;
    /** Whether another attempt has begun and has no session yet. */
    private volatile boolean choosing;

    private volatile boolean sent;
    // Only the thread that makes the next attempt uses the following fields.
    private int attempts = 1;
    private int resends;
    /** Number of attempts that have begun, for the Flight Recorder. */
    private int begun;
    /** Whether an earlier attempt ended without information about whether the method has run. */
    private boolean inDoubt;
    /** Why the last attempt before the present one failed. */
    private @Nullable RdmaRpcException earlierFailure;
    /** Whether an operation that may take time preceded the sending of the call. */
    private boolean delayed;

    ClientCall(
            ClientMethod method,
            @Nullable Object @Nullable [] arguments,
            long methodTimeoutNanos,
            @Nullable CallOptions options) {
        this.method = method;
        this.arguments = arguments == null ? NO_ARGUMENTS : arguments;
        long timeoutNanos = methodTimeoutNanos;
        if (options != null) {
            Duration wanted = options.timeout();
            timeoutNanos = wanted == null ? timeoutNanos : wanted.toNanos();
            options.addTo(metadata());
        }
        // A call within the method of another call ends at that call's deadline at the latest.
        ServerCallContext enclosing = ServerCallContext.current();
        this.timeoutNanos = enclosing == null ? timeoutNanos : Math.min(timeoutNanos, enclosing.remainingNanos());
    }

    private static VarHandle sessionHandle() {
        try {
            return MethodHandles.lookup().findVarHandle(ClientCall.class, "session", RpcSession.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Returns the metadata to send, or null if there is none. */
    @Nullable
    CallMetadata sentMetadata() {
        CallMetadata own = metadata;
        return own == null || own.isEmpty() ? null : own;
    }

    /** Begins an attempt, which has no session yet. The first attempt finds the initial state. */
    void begin() {
        begun++;
        if (session != null) {
            choosing = true;
            sent = false;
        }
    }

    void useSession(RpcSession chosen) {
        SESSION.setRelease(this, chosen);
        if (choosing) {
            choosing = false;
        }
    }

    /** Returns whether the call is in its first attempt, so that no earlier attempt has used part of its time. */
    boolean isFirstAttempt() {
        return attempts == 1 && resends == 0;
    }

    /**
     * Decides what follows a failed attempt. If the server did not run the call, it is sent again while time remains,
     * even if the method is not idempotent. Such a resend does not count as an attempt of the method.
     *
     * @return the pause before the next attempt, or null if there is none
     */
    @Nullable
    Duration pauseAfter(RdmaRpcException failure, RetryPolicy retry) {
        Duration pause = nextPause(failure, retry);
        earlierFailure = pause == null ? earlierFailure : failure;
        return pause;
    }

    private @Nullable Duration nextPause(RdmaRpcException failure, RetryPolicy retry) {
        if (failure instanceof RdmaNotExecutedException && attempt() != null && method.canSendAgain()) {
            long pause = Resends.pauseNanos(resends++);
            return pause < remainingNanos() ? Duration.ofNanos(pause) : null;
        }
        inDoubt |= !isLate(failure) && mayHaveRun(failure);
        return retry.pauseAfter(attempts++, failure, remainingNanos());
    }

    /** Returns whether the time was over before the last attempt was sent. */
    private boolean isLate(RdmaRpcException failure) {
        return !sent && failure instanceof RdmaTimeoutException;
    }

    private static boolean mayHaveRun(RdmaRpcException failure) {
        return !(failure instanceof RdmaNotExecutedException)
                && failure.status() != RpcStatus.OVERLOADED
                && failure.status() != RpcStatus.BACKPRESSURE;
    }

    /** Records that an operation that may take time preceded the sending of the call. */
    void delayed() {
        delayed = true;
    }

    boolean wasDelayed() {
        return delayed;
    }

    /** Records that the call is passed to the session now. */
    void markSent() {
        sent = true;
    }

    boolean wasSent() {
        return sent;
    }

    /** Returns the session of the last attempt, or null if that attempt had none. */
    @Nullable
    RpcSession attempt() {
        return choosing ? null : session;
    }

    @Nullable
    RpcSession session() {
        return session;
    }

    long startNanos() {
        return startNanos;
    }

    long timeoutNanos() {
        return timeoutNanos;
    }

    void succeeded() {
        end(RpcStatus.OK, null);
    }

    /** Ends the call with a failure. Returns the failure that names the call. */
    RdmaRpcException failed(RdmaRpcException e) {
        RdmaRpcException failure = method.withCallName(outcome(e));
        end(failure.status(), failure);
        return failure;
    }

    /**
     * Returns the failure of the whole call. If the time was over before the last attempt was sent, the one before shows
     * why. If the server did not run the last attempt, it may still have run an earlier one.
     */
    private RdmaRpcException outcome(RdmaRpcException ofLastAttempt) {
        RdmaRpcException earlier = earlierFailure;
        RdmaRpcException last = earlier != null && isLate(ofLastAttempt) ? earlier : ofLastAttempt;
        return inDoubt && last instanceof RdmaNotExecutedException
                ? new RdmaUnavailableException(
                        "an earlier attempt may have run; the last one: " + last.getMessage(), last)
                : last;
    }

    /** Ends the call with the outcome of the result that the caller receives. */
    void endWith(@Nullable Throwable failure) {
        Throwable thrown =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        end(
                thrown == null
                        ? RpcStatus.OK
                        : thrown instanceof RdmaRpcException rpc ? rpc.status() : RpcStatus.CANCELLED,
                thrown);
    }

    /** Ends the call. Only the first end has an effect. */
    void end(RpcStatus status, @Nullable Throwable failure) {
        if (listeners.end(status, failure)) {
            method.observer().onEnd(status, failure, System.nanoTime() - startNanos);
            if (event != null && event.ended()) {
                record(event, status);
            }
        }
    }

    private void record(ClientCallEvent ended, RpcStatus status) {
        RpcSession used = session;
        ServiceMethod called = method.method();
        ended.record(
                called.service(),
                called.name(),
                target(),
                used == null ? "" : used.info().peer(),
                status,
                begun);
    }

    @Override
    public ServiceMethod method() {
        return method.method();
    }

    @Override
    public String target() {
        return method.target().name();
    }

    @Override
    public ServerAddress server() {
        return method.server();
    }

    @Override
    public @Nullable Object[] arguments() {
        return arguments;
    }

    @Override
    public CallMetadata metadata() {
        CallMetadata own = metadata;
        if (own == null) {
            own = new CallMetadata();
            metadata = own;
        }
        return own;
    }

    @Override
    public long remainingNanos() {
        return remainingNanos(System.nanoTime());
    }

    long remainingNanos(long nowNanos) {
        return timeoutNanos - (nowNanos - startNanos);
    }

    @Override
    public @Nullable PeerIdentity peer() {
        RpcSession used = session != null ? session : method.readySession();
        return used == null ? null : used.info().identity();
    }

    @Override
    public void onEnd(EndListener listener) {
        listeners.add(listener);
    }
}
