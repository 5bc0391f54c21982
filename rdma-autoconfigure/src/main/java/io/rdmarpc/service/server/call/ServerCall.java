package io.rdmarpc.service.server.call;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.BlockingStream;
import io.rdmarpc.rpc.PeerIdentity;
import io.rdmarpc.rpc.RpcCancellation;
import io.rdmarpc.rpc.RpcRequest;
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

/** One call at the server, from its arguments to its answer. Whatever happens, it is answered once. */
final class ServerCall implements Runnable, ServerCallContext {

    private static final Log LOG = LogFactory.getLog(ServerCall.class);
    private static final @Nullable Object[] NO_ARGUMENTS = {};

    private final ServerMethod method;
    private final RpcRequest request;
    private final EndListeners listeners = new EndListeners();
    private @Nullable Object[] arguments = NO_ARGUMENTS;
    private @Nullable CallMetadata metadata;
    /** What answers it instead of the request, when it is a stream. */
    private @Nullable BlockingStream stream;

    /** Where the method deals in them. */
    private @Nullable CallBuffers buffers;

    /** The outermost first. */
    private List<ScopeOpener> scopes = List.of();

    /** Interceptors know of it. */
    private boolean entered;

    private boolean ended;

    /** The method has returned a future. */
    private volatile boolean answersLater;

    private volatile boolean gone;

    ServerCall(ServerMethod method, RpcRequest request) {
        this.method = method;
        this.request = request;
    }

    @Override
    public void run() {
        if (isWorthRunning()) {
            work();
        }
    }

    /**
     * False when it was answered because it has waited for a thread for too long. What runs where it arrived has not waited:
     * the engine has just looked at its deadline.
     */
    boolean isWorthRunning() {
        if (method.runsWhereItArrives()) {
            return true;
        }
        if (request.remainingNanos() <= 0) {
            fail(
                    RpcStatus.DEADLINE_EXCEEDED,
                    null,
                    "",
                    "the caller's time was over before a thread was free; it has not run");
            return false;
        }
        return !method.limitsQueueTime() || hasNotWaitedTooLong();
    }

    private boolean hasNotWaitedTooLong() {
        long waitedNanos = request.queuedNanos();
        if (waitedNanos > method.longestQueueNanos()) {
            Duration waited = Duration.ofNanos(waitedNanos).truncatedTo(ChronoUnit.MILLIS);
            refuse(null, "the call has waited " + waited.toMillis() + " ms for a thread; it has not run", waited);
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

    /** Takes metadata and arguments from a message, which stays the caller's. */
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

    /** Of a call that is not read; what cannot be read is left out. */
    void readMetadata() {
        try {
            if (metadata == null && request.hasMetadata()) {
                metadata = MetadataBlock.read(request.message().payload());
            }
        } catch (RuntimeException e) {
            LOG.debug(method.method() + " was refused, and its metadata cannot be read", e);
        }
    }

    private void invoke() {
        Object result;
        try {
            result = method.interruptible() ? runInterruptibly() : runMethod();
            CompletionStage<?> stage = method.stageOf(result, this);
            if (stage != null) {
                answerLater(stage);
                return;
            }
        } catch (Throwable e) {
            failedWith(e);
            return;
        }
        answer(result);
    }

    private @Nullable Object runInterruptibly() throws Throwable {
        try (RpcCancellation.Scope _ = request.cancellation().interrupting()) {
            return runMethod();
        }
    }

    /** The bean's method with all interceptors around it, as the current call of this thread. */
    @Nullable
    Object runMethod() throws Throwable {
        entered = true;
        return method.interceptors().isEmpty()
                ? CurrentCall.with(this, this::runBean)
                : CurrentCall.with(this, this::runIntercepted);
    }

    /** What runs of the method when it has returned already. */
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

    private void answerLater(CompletionStage<?> stage) {
        CallBuffers own = buffers;
        if (own != null) {
            own.leaveResults();
        }
        if (stage instanceof CompletableFuture<?> future && future.state() == Future.State.SUCCESS) {
            answer(future.resultNow());
            return;
        }
        answersLater = true;
        // The caller's future was cancelled, or its time is over: so is the bean's.
        request.cancellation().onCancel(() -> stage.toCompletableFuture().cancel(true));
        stage.whenComplete((value, failure) -> {
            if (failure != null) {
                failedWith(failure);
            } else {
                answer(value);
            }
        });
    }

    private void answer(@Nullable Object result) {
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

    /** What the result could not be written for; that it is of the wrong kind is not the caller's fault. */
    private static RpcStatus statusOf(Throwable e) {
        return e instanceof RdmaRpcException rpc && rpc.status() != RpcStatus.INVALID_REQUEST
                ? rpc.status()
                : RpcStatus.INTERNAL;
    }

    private void failedWith(Throwable failure) {
        Throwable thrown = thrown(failure);
        if (thrown instanceof CancellationException && isCancelled()) {
            failedByCaller(thrown);
            return;
        }
        FailureResponse answer = answerFor(thrown);
        if (answer.status() == RpcStatus.OVERLOADED) {
            refuse(thrown, answer.words(), answer.retryAfter());
        } else if (!failedWithDetails(thrown, answer)) {
            fail(answer.status(), thrown, answer.remoteType(), answer.words());
        }
    }

    /** False for an exception without details. What cannot be written is left out; the words go out without it. */
    private boolean failedWithDetails(Throwable thrown, FailureResponse answer) {
        MessageBuffer response;
        try {
            response = method.codec().encodeFailure(request.allocator(), answer.status(), answer.words(), thrown);
        } catch (Throwable e) {
            LOG.warn(method.method() + " threw " + thrown.getClass().getName() + ", whose details cannot travel", e);
            return false;
        }
        if (response == null) {
            return false;
        }
        endBuffers(response);
        finish(answer.status(), thrown, () -> request.respond(response));
        return true;
    }

    /** It ended because its caller's time is over or the caller has given up; whose clock is behind still hears this answer. */
    private void failedByCaller(Throwable thrown) {
        if (remainingNanos() <= 0) {
            fail(RpcStatus.DEADLINE_EXCEEDED, thrown, "", "the caller's time was over before the method had a result");
        } else {
            fail(RpcStatus.CANCELLED, thrown, "", "the caller has given up");
        }
    }

    /** What the method threw, without what futures put around it. */
    static Throwable thrown(Throwable failure) {
        Throwable thrown = failure;
        while ((thrown instanceof CompletionException || thrown instanceof ExecutionException)
                && thrown.getCause() != null) {
            thrown = thrown.getCause();
        }
        return thrown;
    }

    FailureResponse answerFor(Throwable thrown) {
        log(thrown);
        return FailureResponse.of(thrown, this, method.mappers());
    }

    /** The caller gets no stack trace; who runs the server may want it. */
    private void log(Throwable thrown) {
        if (thrown instanceof Error) {
            LOG.error(method.method() + " failed", thrown);
        } else if (LOG.isDebugEnabled()) {
            LOG.debug(method.method() + " threw", thrown);
        }
    }

    void fail(RpcStatus status, @Nullable Throwable failure, String remoteType, String words) {
        endBuffers(null);
        finish(status, failure, () -> request.fail(status, remoteType, words));
    }

    /** Sheds load: the method has not run. */
    void refuse(@Nullable Throwable failure, String words, Duration retryAfter) {
        endBuffers(null);
        finish(RpcStatus.OVERLOADED, failure, () -> request.refuse(method.method() + ": " + words, retryAfter));
    }

    private void endBuffers(@Nullable MessageBuffer response) {
        CallBuffers own = buffers;
        if (own != null) {
            own.end(response);
        }
    }

    private void finish(RpcStatus status, @Nullable Throwable failure, Runnable answer) {
        if (!entered && !method.interceptors().isEmpty()) {
            readMetadata();
        }
        try {
            answer.run();
        } catch (RuntimeException e) {
            LOG.error(method.method() + ": the answer could not be given to the engine", e);
        } finally {
            ended(status, failure);
        }
    }

    /** Tells whether it has its response; for the thread that runs it, or before another thread got it. */
    boolean hasEnded() {
        return ended;
    }

    /** It has its answer. */
    void ended(RpcStatus status, @Nullable Throwable failure) {
        ended = true;
        method.gate().leave();
        method.observer().onEnd(status, failure, request.elapsedNanos());
        if (!entered) {
            method.tellRefused(this, status, failure);
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

    /** It is answered by a stream, whose failure is its cancellation. */
    void answeredBy(BlockingStream accepted) {
        stream = accepted;
        accepted.whenFailed(() -> gone = true);
    }

    /** Behind those that came at once. */
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
        if (!answersLater) {
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
