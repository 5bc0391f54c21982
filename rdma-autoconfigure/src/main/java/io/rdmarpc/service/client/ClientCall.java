package io.rdmarpc.service.client;

import io.rdmarpc.rpc.PeerIdentity;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.error.RdmaNotExecutedException;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RdmaUnavailableException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.service.CallMetadata;
import io.rdmarpc.service.CallOptions;
import io.rdmarpc.service.ClientCallContext;
import io.rdmarpc.service.EndListeners;
import io.rdmarpc.service.ServerAddress;
import io.rdmarpc.service.ServerCallContext;
import io.rdmarpc.service.contract.ServiceMethod;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** One call of a proxy, from its arguments to its end. */
final class ClientCall implements ClientCallContext {

    private static final @Nullable Object[] NO_ARGUMENTS = {};
    private static final VarHandle SESSION = sessionHandle();

    private final ClientMethod method;
    private final @Nullable Object[] arguments;
    private final long startNanos = System.nanoTime();
    private final long timeoutNanos;
    private final EndListeners listeners = new EndListeners();
    private @Nullable CallMetadata metadata;
    /** Of the last attempt that had one. Written before {@link #sent}, which makes it visible. */
    private volatile @Nullable RpcSession session;
    /** Another attempt has begun, and has no session yet. */
    private volatile boolean choosing;

    private volatile boolean sent;
    // Of the thread that makes the next attempt.
    private int attempts = 1;
    private int resends;
    /** An earlier attempt has ended without a word about whether the method has run. */
    private boolean inDoubt;
    /** Between its beginning and its sending there was something that may take time. */
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
        // Who answers a call has no more time than its caller gives.
        ServerCallContext answered = ServerCallContext.current();
        this.timeoutNanos = answered == null ? timeoutNanos : Math.min(timeoutNanos, answered.remainingNanos());
    }

    private static VarHandle sessionHandle() {
        try {
            return MethodHandles.lookup().findVarHandle(ClientCall.class, "session", RpcSession.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Null when nothing of it would travel. */
    @Nullable
    CallMetadata sentMetadata() {
        CallMetadata own = metadata;
        return own == null || own.isEmpty() ? null : own;
    }

    /** An attempt begins, and has no session yet. What the first one finds is as it should be. */
    void begin() {
        if (session != null) {
            choosing = true;
            sent = false;
        }
    }

    void goesTo(RpcSession chosen) {
        SESSION.setRelease(this, chosen);
        if (choosing) {
            choosing = false;
        }
    }

    /** Tells whether no time has been spent on an earlier attempt. */
    boolean isFirstAttempt() {
        return attempts == 1 && resends == 0;
    }

    /**
     * Decides after a failed attempt. A call that was not run is sent again as long as there is time, whatever its method does;
     * that is no attempt of the method.
     *
     * @return the pause before it is made again; null when it is not
     */
    @Nullable
    Duration pauseAfter(RdmaRpcException failure, RetryPolicy retry) {
        if (failure instanceof RdmaNotExecutedException && attempt() != null && method.canSendAgain()) {
            long pause = Resends.pauseNanos(resends++);
            return pause < remainingNanos() ? Duration.ofNanos(pause) : null;
        }
        inDoubt |= mayHaveRun(failure);
        return retry.pauseAfter(attempts++, failure, remainingNanos());
    }

    private static boolean mayHaveRun(RdmaRpcException failure) {
        return !(failure instanceof RdmaNotExecutedException)
                && failure.status() != RpcStatus.OVERLOADED
                && failure.status() != RpcStatus.BACKPRESSURE;
    }

    /** What was done before it is sent may have taken time. */
    void delayed() {
        delayed = true;
    }

    boolean wasDelayed() {
        return delayed;
    }

    /** The session gets it now. */
    void sends() {
        sent = true;
    }

    boolean wasSent() {
        return sent;
    }

    /** The session of the last attempt; null when there was none for it. */
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

    /** Notes the end of a call and says which one it was. */
    RdmaRpcException failed(RdmaRpcException e) {
        RdmaRpcException failure = method.explained(known(e));
        end(failure.status(), failure);
        return failure;
    }

    /** That the last attempt was not run says nothing about an earlier one. */
    private RdmaRpcException known(RdmaRpcException last) {
        return inDoubt && last instanceof RdmaNotExecutedException
                ? new RdmaUnavailableException(
                        "an earlier attempt may have run; the last one: " + last.getMessage(), last)
                : last;
    }

    /** As what the caller gets ends. */
    void endWith(@Nullable Throwable failure) {
        Throwable thrown =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        end(
                thrown == null
                        ? RpcStatus.OK
                        : thrown instanceof RdmaRpcException rpc ? rpc.status() : RpcStatus.CANCELLED,
                thrown);
    }

    /** The first end counts. */
    void end(RpcStatus status, @Nullable Throwable failure) {
        if (listeners.end(status, failure)) {
            method.observer().onEnd(status, failure, System.nanoTime() - startNanos);
        }
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
