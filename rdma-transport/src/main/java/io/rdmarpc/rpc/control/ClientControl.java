package io.rdmarpc.rpc.control;

import io.rdmarpc.rpc.RdmaBackpressureException;
import io.rdmarpc.rpc.RdmaContractException;
import io.rdmarpc.rpc.RdmaUnavailableException;
import io.rdmarpc.rpc.RpcException;
import io.rdmarpc.rpc.RpcStatus;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.engine.ClientSession;
import io.rdmarpc.rpc.engine.SessionTerms;
import io.rdmarpc.rpc.wire.ControlCodec;
import io.rdmarpc.rpc.wire.ControlMessage;
import io.rdmarpc.rpc.wire.ControlMessage.RefusalCode;
import io.rdmarpc.verbs.RdmaException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** One server, seen from the client: handshake, contracts, reliable connection. */
final class ClientControl extends ControlSession {

    /** The server cannot take the session now, but may later. */
    static final class TryAgainException extends IOException {

        private static final long serialVersionUID = 1L;

        TryAgainException(String reason) {
            super(reason);
        }
    }

    private final ReceiveBudget budget;
    private final AtomicInteger verifyNumbers = new AtomicInteger();
    private final Map<Integer, CompletableFuture<String>> verdicts = new ConcurrentHashMap<>();
    private final Map<ServiceContract, CompletableFuture<String>> contracts = new ConcurrentHashMap<>();
    private int id = -1;
    private int window;
    private @Nullable ClientSession session;

    private ClientControl(ControlParts parts, ControlConnection connection, ReceiveBudget budget) {
        super(parts, connection);
        this.budget = budget;
    }

    /**
     * Connects and shakes hands. Blocks.
     *
     * @throws TryAgainException when the server is there and cannot take the session now
     * @throws IOException when the server cannot be reached
     * @throws RpcException when the server will never take the session
     */
    static ClientControl connect(ControlParts parts, ReceiveBudget budget, InetSocketAddress address, Duration timeout)
            throws IOException {
        Socket socket = new Socket();
        ControlConnection connection;
        try {
            socket.connect(resolved(address), Math.toIntExact(Math.max(1, timeout.toMillis())));
            connection = new ControlConnection(socket);
            connection.handshakeLimit(timeout);
        } catch (IOException e) {
            socket.close();
            throw e;
        }
        ClientControl control = new ClientControl(parts, connection, budget);
        try {
            control.handshake();
            return control;
        } catch (IOException | RuntimeException e) {
            connection.close();
            control.release();
            throw e;
        }
    }

    private static InetSocketAddress resolved(InetSocketAddress address) {
        return address.isUnresolved() ? new InetSocketAddress(address.getHostString(), address.getPort()) : address;
    }

    private void handshake() throws IOException {
        reserve();
        connection.send(new ControlMessage.Hello(
                ControlCodec.VERSION,
                parts.nic().providerName(),
                parts.ud().endpoint(gid),
                id,
                window,
                parts.nic().pathMtu(gid),
                parts.config().maxMessageBytes(),
                (int) parts.config().heartbeatTimeout().toMillis()));
        ControlMessage answer = connection.read();
        switch (answer) {
            case ControlMessage.Welcome welcome -> start(welcome);
            case ControlMessage.Refusal refusal -> throw refused(refusal);
            default -> throw new IOException("a server may not answer a hello with " + answer);
        }
    }

    private void reserve() {
        int wanted = parts.config().window();
        if (!budget.reserve(wanted)) {
            throw new RdmaBackpressureException(
                    "the receive ring is spoken for: " + budget.reserved() + " of " + budget.limit() + " entries, "
                            + wanted + " more wanted for " + connection.peer() + ": raise rdma.ud.receive-depth");
        }
        window = wanted;
        id = parts.loop().reserveClientId();
        if (id < 0) {
            throw new RdmaBackpressureException("there are too many sessions");
        }
    }

    private static IOException refused(ControlMessage.Refusal refusal) {
        String words = "the server refuses the session: " + refusal.reason();
        if (refusal.code() == RefusalCode.PROVIDER || refusal.code() == RefusalCode.VERSION) {
            throw new RdmaContractException(words);
        }
        return new TryAgainException(words);
    }

    private void start(ControlMessage.Welcome welcome) throws IOException {
        if (welcome.version() != ControlCodec.VERSION || welcome.window() < 1 || welcome.window() > window) {
            throw new IOException("the server's welcome makes no sense: " + welcome);
        }
        peerGivesUpAfter(welcome.heartbeatTimeoutMillis());
        ClientSession live = new ClientSession(parts.loop(), terms(welcome), this);
        session = live;
        parts.loop().add(live);
        startServing(live);
    }

    private SessionTerms terms(ControlMessage.Welcome welcome) throws IOException {
        try {
            return prepare(
                    id,
                    welcome.session(),
                    welcome.cookie(),
                    welcome.endpoint(),
                    welcome.mtu().min(parts.nic().pathMtu(gid)),
                    welcome.window(),
                    Math.min(welcome.maxMessageBytes(), parts.config().maxMessageBytes()));
        } catch (RdmaException e) {
            throw new IOException("the server answers, but its NIC cannot be reached: " + e.getMessage(), e);
        }
    }

    ClientSession session() {
        ClientSession live = session;
        if (live == null) {
            throw new IllegalStateException("there is no session before the handshake");
        }
        return live;
    }

    /** Asks the server about a contract, once. */
    void verify(ServiceContract contract) {
        String difference = await(contracts.computeIfAbsent(contract, this::ask), contract);
        if (!difference.isEmpty()) {
            // Asked again next time: the server may have been given the service in the meantime.
            contracts.remove(contract);
            throw new RdmaContractException(connection.peer() + " refuses calls: " + difference);
        }
    }

    private CompletableFuture<String> ask(ServiceContract contract) {
        int number = verifyNumbers.incrementAndGet();
        CompletableFuture<String> verdict = new CompletableFuture<>();
        verdicts.put(number, verdict);
        try {
            connection.send(new ControlMessage.Verify(number, contract));
        } catch (IOException e) {
            verdict.completeExceptionally(e);
        }
        return verdict;
    }

    private String await(CompletableFuture<String> verdict, ServiceContract contract) {
        Duration limit = parts.config().connectTimeout();
        try {
            return verdict.get(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RpcException(RpcStatus.CANCELLED, "interrupted while waiting for the server's contract", e);
        } catch (ExecutionException e) {
            contracts.remove(contract);
            Throwable why = e.getCause() == null ? e : e.getCause();
            throw new RdmaUnavailableException(
                    connection.peer() + " could not be asked about service " + contract.name() + ": "
                            + why.getMessage(),
                    why);
        } catch (TimeoutException e) {
            contracts.remove(contract);
            throw new RdmaUnavailableException(
                    connection.peer() + " did not answer about service " + contract.name() + " within "
                            + limit.toMillis() + " ms",
                    e);
        }
    }

    @Override
    void onMessage(ControlMessage message) throws IOException {
        switch (message) {
            case ControlMessage.Verdict(int number, String difference) -> {
                CompletableFuture<String> verdict = verdicts.remove(number);
                if (verdict != null) {
                    verdict.complete(difference);
                }
            }
            case ControlMessage.RcWanted() -> connectionWanted();
            case ControlMessage.RcAnswer answer -> rcStep(() -> complete(answer));
            case ControlMessage.Heartbeat() -> {}
            default -> throw new IOException("a server may not send " + message);
        }
    }

    @Override
    public void connectionWanted() {
        rcStep(this::offerRc);
    }

    /** Either side may want one first; one is enough. */
    private void offerRc() throws IOException {
        if (!hasRc()) {
            connection.send(new ControlMessage.RcOffer(prepareRc().endpoint()));
        }
    }

    private void complete(ControlMessage.RcAnswer answer) throws IOException {
        completeRc(answer.endpoint());
        connection.send(new ControlMessage.RcReady());
        rcReady();
    }

    @Override
    void onEnded(String reason) {
        LOG.log(System.Logger.Level.INFO, "session with {0} has ended: {1}", connection.peer(), reason);
        RdmaUnavailableException failure = new RdmaUnavailableException("the session ended: " + reason);
        verdicts.values().forEach(verdict -> verdict.completeExceptionally(failure));
    }

    @Override
    void onReleased() {
        if (id >= 0) {
            parts.loop().giveBackClientId(id);
        }
        budget.release(window);
    }
}
