package io.rdmarpc.service.server.call;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.BlockingStream;
import io.rdmarpc.rpc.PeerIdentity;
import io.rdmarpc.rpc.RpcCancellation;
import io.rdmarpc.rpc.RpcRequest;
import io.rdmarpc.rpc.error.RdmaErrorDetails;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.message.InboundMessage;
import io.rdmarpc.service.CallContext;
import io.rdmarpc.service.CallMetadata;
import io.rdmarpc.service.CurrentCall;
import io.rdmarpc.service.EndListeners;
import io.rdmarpc.service.MetadataBlock;
import io.rdmarpc.service.RdmaServerInterceptor;
import io.rdmarpc.service.ServerCallContext;
import io.rdmarpc.service.contract.ServiceMethod;
import io.rdmarpc.service.events.ServerCallEvent;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** One call at the server, from its arguments to its response. Every call gets exactly one response. */
final class ServerCall implements Runnable, ServerCallContext {

    private static final Log LOG = LogFactory.getLog(ServerCall.class);
    private static final @Nullable Object[] NO_ARGUMENTS = {};

    private final ServerMethod method;
    private final RpcRequest request;
    private final @Nullable ServerCallEvent event = ServerCallEvent.begun();
    private final EndListeners listeners = new EndListeners();
    private @Nullable Object[] arguments = NO_ARGUMENTS;
    private @Nullable CallMetadata metadata;
    /** The stream that carries the response, or null if the request carries it. */
    private @Nullable BlockingStream stream;

    /** Message buffers of the call, or null if the method uses none. */
    private @Nullable CallBuffers buffers;

    /** Scopes of the interceptors, the outermost first. */
    private List<ScopeOpener> scopes = List.of();

    /** Whether the call was passed to the interceptors. */
    private boolean entered;

    private boolean ended;

    /** Whether the method has returned a future. */
    private volatile boolean respondsLater;

    private volatile boolean gone;

    ServerCall(ServerMethod method, RpcRequest request) {
        this.method = method;
        this.request = request;
    }

    @Override
    public void run() {
        if (mayRun()) {
            work();
        }
    }

    /**
     * Returns whether the call may run. If it has waited too long for a thread, it is rejected and false is returned.
     * An inline call has not waited: the engine has just checked its deadline.
     */
    boolean mayRun() {
        if (event != null) {
            event.queued(request.queuedNanos());
        }
        if (method.runsInline()) {
            return true;
        }
        if (request.remainingNanos() <= 0) {
            fail(
                    RpcStatus.DEADLINE_EXCEEDED,
                    null,
                    "",
                    "the call's deadline passed before a thread was free; the method has not run");
            return false;
        }
        return !method.limitsQueueTime() || isWithinQueueTime();
    }

    private boolean isWithinQueueTime() {
        long waitedNanos = request.queuedNanos();
        if (waitedNanos > method.maxQueueNanos()) {
            Duration waited = Duration.ofNanos(waitedNanos).truncatedTo(ChronoUnit.MILLIS);
            reject(
                    null,
                    "the call waited " + waited.toMillis() + " ms for a thread, and the method has not run",
                    waited);
            return false;
        }
        return true;
    }

    private void work() {
        try {
            read(request.message(), request.hasMetadata());
        } catch (Throwable e) {
            fail(RpcStatus.INVALID_REQUEST, e, "", String.valueOf(e.getMessage()));
            return;
        }
        if (!method.codec().argumentIsMessage()) {
            request.message().close();
        }
        invoke();
    }

    /** Reads metadata and arguments from a message, which the caller continues to own. */
    void read(InboundMessage message, boolean hasMetadata) {
        InboundMessage rest = message;
        if (hasMetadata) {
            MemorySegment payload = message.payload();
            int bytes = MetadataBlock.bytesOf(payload);
            metadata = MetadataBlock.read(payload, bytes);
            rest = new MessageTail(message, bytes);
        }
        arguments = method.codec().decodeArguments(rest);
        if (method.codec().argumentIsMessage() && arguments[0] instanceof MessageBuffer argument) {
            buffers().addArgument(argument);
        }
    }

    private CallBuffers buffers() {
        CallBuffers own = buffers;
        if (own == null) {
            own = new CallBuffers();
            buffers = own;
        }
        return own;
    }

    /** Reads the metadata of a call whose arguments are not read. Malformed metadata is ignored. */
    void readMetadata() {
        try {
            if (metadata == null && request.hasMetadata()) {
                metadata = MetadataBlock.read(request.message().payload());
            }
        } catch (RuntimeException e) {
            LOG.debug(method.method() + " was rejected, and its metadata is malformed", e);
        }
    }

    private void invoke() {
        Object result;
        try {
            result = method.interruptible() ? runInterruptibly() : runMethod();
            CompletionStage<?> stage = method.stageOf(result, this);
            if (stage != null) {
                respondLater(stage);
                return;
            }
        } catch (Throwable e) {
            failedWith(e);
            return;
        }
        respond(result);
    }

    private @Nullable Object runInterruptibly() throws Throwable {
        try (RpcCancellation.Scope _ = request.cancellation().interrupting()) {
            return runMethod();
        }
    }

    /** Runs the bean's method within all interceptors, as the current call of this thread. */
    @Nullable
    Object runMethod() throws Throwable {
        entered = true;
        return method.interceptors().isEmpty()
                ? CurrentCall.with(this, this::runBean)
                : CurrentCall.with(this, this::runIntercepted);
    }

    /** Runs code that belongs to the method after the method has returned. */
    @Nullable
    Object inScope(CallContext.Next work) throws Throwable {
        return CurrentCall.with(this, () -> within(scopes.iterator(), work));
    }

    private static @Nullable Object within(Iterator<ScopeOpener> scopes, CallContext.Next work) throws Throwable {
        if (!scopes.hasNext()) {
            return work.proceed();
        }
        try (Scope _ = scopes.next().open()) {
            return within(scopes, work);
        }
    }

    private @Nullable Object runBean() throws Throwable {
        return method.invoke(arguments);
    }

    private @Nullable Object runIntercepted() throws Throwable {
        CallContext.Next next = this::runBean;
        for (RdmaServerInterceptor interceptor : method.interceptors()) {
            CallContext.Next rest = next;
            next = () -> interceptor.intercept(this, rest);
        }
        return next.proceed();
    }

    private void respondLater(CompletionStage<?> stage) {
        CallBuffers own = buffers;
        if (own != null) {
            own.leaveResults();
        }
        if (stage instanceof CompletableFuture<?> future && future.state() == Future.State.SUCCESS) {
            respond(future.resultNow());
            return;
        }
        respondsLater = true;
        // Cancels the bean's future when the caller cancels the call or its deadline passes.
        request.cancellation().onCancel(() -> stage.toCompletableFuture().cancel(true));
        stage.whenComplete((value, failure) -> {
            if (failure != null) {
                failedWith(failure);
            } else {
                respond(value);
            }
        });
    }

    private void respond(@Nullable Object result) {
        MessageBuffer response;
        try {
            response = method.codec().encodeResult(request.allocator(), result);
        } catch (Throwable e) {
            fail(statusOf(e), e, "", String.valueOf(e.getMessage()));
            return;
        }
        endBuffers(response);
        finish(RpcStatus.OK, null, () -> request.respond(response));
    }

    /**
     * Returns the status of a failure to encode the result. A result of the wrong type is a fault of the server, not
     * of the caller. The status of a lack of memory does not say that the method has not run, because callers would
     * retry.
     */
    private static RpcStatus statusOf(Throwable e) {
        if (!(e instanceof RdmaRpcException rpc)) {
            return RpcStatus.INTERNAL;
        }
        return switch (rpc.status()) {
            case INVALID_REQUEST -> RpcStatus.INTERNAL;
            case BACKPRESSURE -> RpcStatus.UNAVAILABLE;
            default -> rpc.status();
        };
    }

    private void failedWith(Throwable failure) {
        Throwable thrown = thrown(failure);
        if (thrown instanceof CancellationException && isCancelled()) {
            endedByCaller(thrown);
            return;
        }
        FailureResponse response = failureResponse(thrown);
        if (response.status() == RpcStatus.OVERLOADED) {
            fail(RpcStatus.OVERLOADED, thrown, "", method.method() + ": " + response.message(), response.details());
        } else if (!failedWithFields(thrown, response)) {
            fail(response.status(), thrown, response.remoteType(), response.message(), response.details());
        }
    }

    /**
     * Responds with the fields of the exception. Returns false if the method does not declare them, or if they cannot be
     * encoded. Its message is then sent without fields.
     */
    private boolean failedWithFields(Throwable thrown, FailureResponse failure) {
        MessageBuffer response;
        try {
            response = method.codec().encodeFailure(request.allocator(), failure.status(), failure.message(), thrown);
        } catch (Throwable e) {
            LOG.warn(
                    method.method() + " threw " + thrown.getClass().getName()
                            + ", whose fields could not be encoded: the caller receives the message only",
                    e);
            return false;
        }
        if (response == null) {
            return false;
        }
        endBuffers(response);
        finish(failure.status(), thrown, () -> request.respond(response));
        return true;
    }

    /**
     * Responds to a call that ended because its caller cancelled it or its deadline passed. A caller whose clock is
     * behind may still receive this response.
     */
    private void endedByCaller(Throwable thrown) {
        if (remainingNanos() <= 0) {
            fail(RpcStatus.DEADLINE_EXCEEDED, thrown, "", "the call's deadline passed before the method had a result");
        } else {
            fail(RpcStatus.CANCELLED, thrown, "", "the caller cancelled the call");
        }
    }

    /** Returns the exception of the method without the wrappers of futures. */
    static Throwable thrown(Throwable failure) {
        Throwable thrown = failure;
        while ((thrown instanceof CompletionException || thrown instanceof ExecutionException)
                && thrown.getCause() != null) {
            thrown = thrown.getCause();
        }
        return thrown;
    }

    FailureResponse failureResponse(Throwable thrown) {
        log(thrown);
        return FailureResponse.of(thrown, this, method.mappers(), method.sendsDebugDetails());
    }

    /** Logs the exception with its stack trace, which is not sent to the caller. */
    private void log(Throwable thrown) {
        if (thrown instanceof Error) {
            LOG.error(method.method() + " failed", thrown);
        } else if (LOG.isDebugEnabled()) {
            LOG.debug(method.method() + " threw", thrown);
        }
    }

    void fail(RpcStatus status, @Nullable Throwable failure, String remoteType, String message) {
        fail(status, failure, remoteType, message, RdmaErrorDetails.NONE);
    }

    private void fail(
            RpcStatus status,
            @Nullable Throwable failure,
            String remoteType,
            String message,
            RdmaErrorDetails details) {
        endBuffers(null);
        finish(status, failure, () -> request.fail(status, remoteType, message, details));
    }

    /** Rejects the call because of overload. The method has not run. */
    void reject(@Nullable Throwable failure, String message, Duration retryAfter) {
        endBuffers(null);
        finish(RpcStatus.OVERLOADED, failure, () -> request.reject(method.method() + ": " + message, retryAfter));
    }

    private void endBuffers(@Nullable MessageBuffer response) {
        CallBuffers own = buffers;
        if (own != null) {
            own.end(response);
        }
    }

    private void finish(RpcStatus status, @Nullable Throwable failure, Runnable send) {
        if (!entered && !method.interceptors().isEmpty()) {
            readMetadata();
        }
        try {
            send.run();
        } catch (RuntimeException e) {
            LOG.error(
                    method.method() + ": the response could not be passed to the engine,"
                            + " and the caller waits until its deadline",
                    e);
        } finally {
            ended(status, failure);
        }
    }

    /**
     * Returns whether the call has ended. Called only by the thread that runs the call, or before another thread has
     * received it.
     */
    boolean hasEnded() {
        return ended;
    }

    /** Records the end of the call after its response. */
    void ended(RpcStatus status, @Nullable Throwable failure) {
        ended = true;
        method.gate().leave();
        method.observer().onEnd(status, failure, request.elapsedNanos());
        if (event != null && event.ended()) {
            ServiceMethod called = method.method();
            event.record(called.service(), called.name(), request.peer(), status);
        }
        if (!entered) {
            method.notifyRejected(this, status, failure);
        }
        listeners.end(status, failure);
    }

    @Override
    public ServiceMethod method() {
        return method.method();
    }

    @Override
    public @Nullable Object[] arguments() {
        return arguments;
    }

    @Override
    public CallMetadata metadata() {
        CallMetadata known = metadata;
        return known == null ? CallMetadata.NONE : known;
    }

    @Override
    public long remainingNanos() {
        return request.remainingNanos();
    }

    @Override
    public PeerIdentity peer() {
        return request.identity();
    }

    @Override
    public void onEnd(EndListener listener) {
        listeners.add(listener);
    }

    @Override
    public void around(ScopeOpener opener) {
        List<ScopeOpener> more = new ArrayList<>(scopes);
        more.add(opener);
        scopes = more;
    }

    /** Sets the stream that carries the response. A failure of the stream is a cancellation of the call. */
    void respondWith(BlockingStream accepted) {
        stream = accepted;
        accepted.whenFailed(() -> gone = true);
    }

    /** Adds the streamed argument after the other arguments. */
    void addArgument(Object streamed) {
        arguments = Arrays.copyOf(arguments, arguments.length + 1);
        arguments[arguments.length - 1] = streamed;
    }

    @Override
    public Object bean() {
        return method.bean();
    }

    @Override
    public MessageBuffer allocate(int bytes) {
        MessageBuffer result = request.allocate(bytes);
        if (!respondsLater) {
            buffers().addResult(result);
        }
        return result;
    }

    @Override
    public boolean isCancelled() {
        return stream == null ? request.isCancelled() : gone;
    }

    @Override
    public void onCancel(Runnable listener) {
        BlockingStream answering = stream;
        if (answering == null) {
            request.cancellation().onCancel(listener);
        } else {
            answering.whenFailed(listener);
        }
    }
}
