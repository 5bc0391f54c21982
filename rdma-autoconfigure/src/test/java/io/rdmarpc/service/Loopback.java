package io.rdmarpc.service;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.AwaitedResponseHandler;
import io.rdmarpc.rpc.PeerIdentity;
import io.rdmarpc.rpc.RequestHandler;
import io.rdmarpc.rpc.ResponseHandler;
import io.rdmarpc.rpc.RpcCall;
import io.rdmarpc.rpc.RpcCancellation;
import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.RpcRequest;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.RpcStream;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.ServiceExport;
import io.rdmarpc.rpc.SessionInfo;
import io.rdmarpc.rpc.StreamReceiver;
import io.rdmarpc.rpc.error.RdmaContractException;
import io.rdmarpc.rpc.error.RdmaErrorDetails;
import io.rdmarpc.rpc.error.RdmaNotExecutedException;
import io.rdmarpc.rpc.error.RdmaOverloadedException;
import io.rdmarpc.rpc.error.RdmaRemoteException;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RdmaTimeoutException;
import io.rdmarpc.rpc.error.RdmaUnavailableException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.message.InboundMessage;
import io.rdmarpc.rpc.stats.RoundTripStatistics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * A channel whose server is in the same process and runs on the caller's thread. Messages are bytes, without an engine.
 */
public final class Loopback implements RpcChannel {

    public final Messages messages = new Messages();
    public final AtomicInteger connects = new AtomicInteger();
    public final AtomicInteger verifications = new AtomicInteger();
    /** Calls that wait for a response. */
    public final AtomicInteger awaitedCalls = new AtomicInteger();

    private final Map<Integer, RequestHandler> handlers = new HashMap<>();
    private final Map<String, ServiceContract> contracts = new HashMap<>();
    private final Map<ResponseHandler, LoopbackRequest> pending = new ConcurrentHashMap<>();
    private volatile LoopbackSession session;
    public volatile boolean reachable = true;
    public volatile boolean rejectContracts;
    public volatile boolean keepsIdle;
    /** The channels of all engines, this one included. Empty if there is one engine. */
    public volatile List<RpcChannel> perEngine = List.of();
    /** Responds to no call; calls time out shortly after. */
    public volatile boolean silent;
    /** Number of calls that the server rejects because it is stopping. */
    public final AtomicInteger stoppingFor = new AtomicInteger();
    /** Runs before memory for a message is allocated. */
    public volatile Runnable beforeAllocation = () -> {};
    /** Runs before memory for a response is allocated. */
    public volatile Runnable beforeResponse = () -> {};
    /** How long requests take to arrive, as the READ of a large request does. */
    public volatile long readNanos;
    /** Does not respond to contracts. */
    public volatile boolean mute;
    /** Opens the client's end of streams, which have no server here. */
    public volatile Function<StreamReceiver, RpcStream> streams = _ -> {
        throw new UnsupportedOperationException("this loopback has no streams");
    };

    public void export(ServiceExport export) {
        contracts.put(export.contract().name(), export.contract());
        export.methods().forEach(method -> handlers.put(method.id(), method.handler()));
    }

    public void handle(int methodId, RequestHandler handler) {
        handlers.put(methodId, handler);
    }

    public void acceptAnyContract() {
        contracts.clear();
    }

    public void endSession() {
        session.open = false;
    }

    @Override
    public synchronized RpcSession session(Duration timeout) {
        if (!reachable) {
            throw new RdmaUnavailableException("no server is reachable");
        }
        if (session == null || !session.open) {
            connects.incrementAndGet();
            session = new LoopbackSession();
        }
        return session;
    }

    @Override
    public void verify(RpcSession verified, ServiceContract contract) {
        verify(verified, contract, Duration.ofSeconds(2));
    }

    @Override
    public void verify(RpcSession verified, ServiceContract contract, Duration timeout) {
        if (mute) {
            awaitTimeout(timeout);
        }
        verifications.incrementAndGet();
        ServiceContract offered = contracts.get(contract.name());
        if (rejectContracts || (!contracts.isEmpty() && !contract.equals(offered))) {
            throw new RdmaContractException("the server offers " + offered);
        }
    }

    private static void awaitTimeout(Duration timeout) {
        try {
            Thread.sleep(timeout);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        throw new RdmaUnavailableException("the server did not respond within " + timeout.toMillis() + " ms");
    }

    @Override
    public void keepIdle() {
        keepsIdle = true;
    }

    @Override
    public List<RpcChannel> perEngine() {
        return perEngine.isEmpty() ? List.of(this) : perEngine;
    }

    @Override
    public boolean isConnected() {
        return session != null && session.open;
    }

    @Override
    public void close() {
        reachable = false;
        if (session != null) {
            session.open = false;
        }
    }

    private final class LoopbackSession extends TestAllocator implements RpcSession {

        volatile boolean open = true;

        LoopbackSession() {
            super(messages.buffers(), Messages.MOST);
        }

        @Override
        public MessageBuffer allocate(int capacityBytes) {
            beforeAllocation.run();
            return super.allocate(capacityBytes);
        }

        @Override
        public void call(int methodId, MessageBuffer request, long timeoutNanos, ResponseHandler handler) {
            if (silent) {
                byte[] _ = Messages.send(request);
                Thread.ofVirtual().start(() -> handler.onFailure(new RdmaTimeoutException("no response")));
                return;
            }
            boolean metadata = request.metadataBytes() > 0;
            LoopbackRequest call =
                    new LoopbackRequest(methodId, Messages.send(request), metadata, timeoutNanos, handler);
            pending.put(handler, call);
            if (stoppingFor.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                call.rejectStopping("the server is stopping");
                return;
            }
            RequestHandler method = handlers.get(methodId);
            if (method == null) {
                call.fail(RpcStatus.UNKNOWN_METHOD, "", "no such method");
                return;
            }
            try {
                method.handle(call);
            } catch (Exception e) {
                call.fail(RpcStatus.INTERNAL, e.getClass().getName(), String.valueOf(e.getMessage()));
            }
        }

        @Override
        public void callAndWait(
                int methodId,
                MessageBuffer request,
                long startNanos,
                long timeoutNanos,
                AwaitedResponseHandler handler) {
            awaitedCalls.incrementAndGet();
            call(methodId, request, timeoutNanos, handler);
        }

        @Override
        public RpcCall prepareCall(RpcCall.End end) {
            throw new UnsupportedOperationException("proxies do not prepare calls");
        }

        @Override
        public RpcStream openStream(int methodId, int credits, long timeoutNanos, StreamReceiver receiver) {
            return streams.apply(receiver);
        }

        @Override
        public void cancel(ResponseHandler handler) {
            LoopbackRequest call = pending.remove(handler);
            if (call != null) {
                call.cancel();
            }
        }

        @Override
        public boolean isOpen() {
            return open;
        }

        @Override
        public SessionInfo info() {
            return new SessionInfo("peer", "none", "none", 4096, 8, Messages.MOST);
        }

        @Override
        public int callsInFlight() {
            return pending.size();
        }

        @Override
        public int openStreams() {
            return 0;
        }

        @Override
        public RoundTripStatistics roundTrips() {
            return new RoundTripStatistics(0, 0, 0, 0, List.of());
        }
    }

    private final class LoopbackRequest extends TestAllocator implements RpcRequest, RpcCancellation {

        private final int methodId;
        private final Messages.Received message;
        private final boolean metadata;
        private final long arrived = System.nanoTime();
        private final long deadline;
        private final ResponseHandler handler;
        private final List<Runnable> listeners = new ArrayList<>();
        private boolean responded;
        private boolean cancelled;

        LoopbackRequest(int methodId, byte[] bytes, boolean metadata, long timeoutNanos, ResponseHandler handler) {
            super(messages.buffers(), Messages.MOST);
            this.methodId = methodId;
            this.metadata = metadata;
            this.message = Messages.received(bytes);
            this.deadline = System.nanoTime() + timeoutNanos;
            this.handler = handler;
        }

        @Override
        public MessageBuffer allocate(int capacityBytes) {
            beforeResponse.run();
            return super.allocate(capacityBytes);
        }

        private synchronized void markResponded() {
            if (responded) {
                throw new IllegalStateException("the call has a response already");
            }
            responded = true;
            pending.remove(handler);
            message.close();
        }

        /** Cancels the call as an engine does: the caller's handler fails at once, and the server's listeners run. */
        private void cancel() {
            List<Runnable> notified;
            synchronized (this) {
                if (responded || cancelled) {
                    return;
                }
                cancelled = true;
                notified = List.copyOf(listeners);
            }
            handler.onFailure(new RdmaRpcException(RpcStatus.CANCELLED, "cancelled"));
            notified.forEach(Runnable::run);
        }

        @Override
        public RpcStream acceptStream(int credits, StreamReceiver receiver) {
            throw new IllegalStateException("this is a call without streams");
        }

        @Override
        public void reject(String text, Duration retryAfter) {
            markResponded();
            if (!cancelled) {
                handler.onFailure(new RdmaOverloadedException(text, retryAfter));
            }
        }

        @Override
        public void rejectStopping(String text) {
            markResponded();
            if (!cancelled) {
                handler.onFailure(new RdmaNotExecutedException(text));
            }
        }

        @Override
        public long elapsedNanos() {
            return queuedNanos() + readNanos;
        }

        @Override
        public long queuedNanos() {
            return System.nanoTime() - arrived;
        }

        @Override
        public RpcCancellation cancellation() {
            return this;
        }

        @Override
        public synchronized boolean isCancelled() {
            return cancelled;
        }

        @Override
        public void onCancel(Runnable listener) {
            synchronized (this) {
                if (!cancelled) {
                    listeners.add(listener);
                    return;
                }
            }
            listener.run();
        }

        @Override
        public Scope interrupting() {
            Thread caller = Thread.currentThread();
            onCancel(caller::interrupt);
            return () -> {
                synchronized (this) {
                    listeners.clear();
                }
            };
        }

        @Override
        public int methodId() {
            return methodId;
        }

        @Override
        public InboundMessage message() {
            return message;
        }

        @Override
        public long remainingNanos() {
            return deadline - System.nanoTime();
        }

        @Override
        public String peer() {
            return "loopback";
        }

        @Override
        public PeerIdentity identity() {
            return PeerIdentity.ofAddress("loopback");
        }

        @Override
        public boolean hasMetadata() {
            return metadata;
        }

        @Override
        public void respond(MessageBuffer response) {
            markResponded();
            byte[] bytes = Messages.send(response);
            if (!cancelled) {
                handler.onResponse(Messages.received(bytes));
            }
        }

        @Override
        public void fail(RpcStatus status, String remoteType, String text, RdmaErrorDetails details) {
            markResponded();
            if (!cancelled) {
                RdmaRpcException failure = status == RpcStatus.OVERLOADED
                        ? new RdmaOverloadedException(text, details.retryDelay())
                        : new RdmaRemoteException(status, remoteType, text);
                failure.initErrorDetails(details);
                handler.onFailure(failure);
            }
        }
    }
}
