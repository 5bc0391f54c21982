package io.rdmarpc.verbs.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.cm.CmConnection;
import io.rdmarpc.verbs.cm.CmConnectionRequest;
import io.rdmarpc.verbs.cm.CmDestination;
import io.rdmarpc.verbs.cm.CmListener;
import io.rdmarpc.verbs.cm.CmParameters;
import io.rdmarpc.verbs.cm.CmRoute;
import io.rdmarpc.verbs.cm.ConnectionManager;
import io.rdmarpc.verbs.cm.RdmaCmException;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.wr.CompletionStatus;
import io.rdmarpc.verbs.wr.ReceiveRequests;
import io.rdmarpc.verbs.wr.SendFlags;
import io.rdmarpc.verbs.wr.SendOpcode;
import io.rdmarpc.verbs.wr.SendRequests;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** A device, the connection manager, and helpers for tests of both sides in one process. */
final class CmFixture implements AutoCloseable {

    static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final int CLOSERS = 32;

    final DeviceFixture device = new DeviceFixture();
    final ConnectionManager manager = ConnectionManager.load();
    final ExecutorService threads = Executors.newCachedThreadPool();
    private final ConcurrentLinkedQueue<QueuePair> queuePairs = new ConcurrentLinkedQueue<>();

    /** Both sides of a connection. */
    record Pair(CmConnection client, QueuePair clientQp, CmConnection server, QueuePair serverQp) {

        void close() {
            client.close();
            server.close();
        }
    }

    /** The address of the device's interface. */
    InetAddress host() {
        byte[] bytes = new byte[Integer.BYTES];
        long low = device.gid.gid().low();
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (low >>> ((bytes.length - 1 - i) * Byte.SIZE));
        }
        return address(bytes);
    }

    private static InetAddress address(byte[] bytes) {
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    InetSocketAddress at(int port) {
        return new InetSocketAddress(host(), port);
    }

    CmListener listen() {
        return manager.listen(at(0), 64);
    }

    CmRoute resolve(InetSocketAddress address) {
        return manager.resolve(CmDestination.to(address), PATIENCE);
    }

    QueuePair queuePair() {
        QueuePair queuePair = device.create(QueuePairType.RC);
        queuePairs.add(queuePair);
        return queuePair;
    }

    static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Returns the text of a peer's private data, which is padded with zeros. */
    static String text(byte[] padded) {
        return new String(padded, StandardCharsets.UTF_8).replaceAll("\0+$", "");
    }

    static CmParameters with(String text) {
        return new CmParameters().privateData(text(text));
    }

    static CmConnectionRequest next(CmListener listener) {
        return listener.accept(PATIENCE).orElseThrow();
    }

    Pair connect(CmListener listener) throws Exception {
        return connect(listener, new CmParameters(), new CmParameters());
    }

    Pair connect(CmListener listener, CmParameters requested, CmParameters granted) throws Exception {
        QueuePair clientQp = queuePair();
        QueuePair serverQp = queuePair();
        CmRoute route = resolve(listener.localAddress());
        Future<CmConnection> client = threads.submit(() -> route.connect(clientQp, requested, PATIENCE));
        CmConnection server = next(listener).accept(serverQp, granted, PATIENCE);
        return new Pair(get(client), clientQp, server, serverQp);
    }

    /** Connects in another thread, with a separate queue pair. */
    Future<CmConnection> connecting(CmListener listener, CmParameters parameters) {
        CmRoute route = resolve(listener.localAddress());
        QueuePair queuePair = queuePair();
        return threads.submit(() -> {
            try (route) {
                return route.connect(queuePair, parameters, PATIENCE);
            }
        });
    }

    static RdmaCmException failure(ThrowingCallable body) {
        return catchThrowableOfType(RdmaCmException.class, body);
    }

    static RdmaCmException failure(Future<?> future) {
        ExecutionException e = catchThrowableOfType(ExecutionException.class, () -> get(future));
        assertThat(e.getCause()).isInstanceOf(RdmaCmException.class);
        return (RdmaCmException) e.getCause();
    }

    static <T> T get(Future<T> future) throws ExecutionException, InterruptedException, TimeoutException {
        return future.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    MemoryRegion buffer() {
        return device.register(64, AccessFlag.LOCAL_WRITE);
    }

    void postReceive(QueuePair queuePair, long wrId, MemoryRegion into) {
        ReceiveRequests receive = ReceiveRequests.allocate(device.arena, 1);
        receive.set(0, wrId, into.address(), (int) into.segment().byteSize(), into.lkey());
        receive.chain(0, 1);
        assertThat(queuePair.postReceive(receive, 0)).isZero();
    }

    void postSend(QueuePair queuePair, long wrId, MemoryRegion from, int length) {
        SendRequests request = SendRequests.allocate(device.arena, 1, 1);
        request.set(0, wrId, SendOpcode.SEND, SendFlags.SIGNALED, 1);
        request.setSge(0, 0, from.address(), length, from.lkey());
        request.chain(0, 1);
        assertThat(queuePair.postSend(request, 0)).isZero();
    }

    /** Posts a receive to a queue pair of this process, and sends a text to it. */
    void send(QueuePair from, QueuePair to, String message) {
        MemoryRegion source = buffer();
        MemoryRegion target = buffer();
        source.segment().setString(0, message);
        postReceive(to, 1, target);
        postSend(from, 2, source, message.length() + 1);
        device.await(2);
        assertThat(status(0)).isEqualTo(CompletionStatus.SUCCESS);
        assertThat(status(1)).isEqualTo(CompletionStatus.SUCCESS);
        assertThat(target.segment().getString(0)).isEqualTo(message);
        source.close();
        target.close();
    }

    int status(int index) {
        return device.completions.status(index);
    }

    /** Closes in parallel: rxe needs a third of a second to destroy a connected queue pair, however many there are. */
    void closeQueuePairs() {
        try (ExecutorService closers = Executors.newFixedThreadPool(CLOSERS)) {
            List<CompletableFuture<Void>> closing = queuePairs.stream()
                    .map(queuePair -> CompletableFuture.runAsync(queuePair::close, closers))
                    .toList();
            closing.forEach(CompletableFuture::join);
        }
        queuePairs.clear();
    }

    @Override
    public void close() {
        threads.shutdownNow();
        closeQueuePairs();
        device.close();
    }
}
