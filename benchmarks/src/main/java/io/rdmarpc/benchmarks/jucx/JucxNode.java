package io.rdmarpc.benchmarks.jucx;

import io.rdmarpc.benchmarks.BenchmarkControlLink;
import io.rdmarpc.benchmarks.BenchmarkPollTimeout;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.openucx.jucx.UcxException;
import org.openucx.jucx.ucp.UcpContext;
import org.openucx.jucx.ucp.UcpEndpoint;
import org.openucx.jucx.ucp.UcpEndpointParams;
import org.openucx.jucx.ucp.UcpMemMapParams;
import org.openucx.jucx.ucp.UcpMemory;
import org.openucx.jucx.ucp.UcpParams;
import org.openucx.jucx.ucp.UcpRemoteKey;
import org.openucx.jucx.ucp.UcpRequest;
import org.openucx.jucx.ucp.UcpWorker;
import org.openucx.jucx.ucp.UcpWorkerParams;

/**
 * One end of a connection: a worker, which one thread progresses, its endpoint and registered memory. The constructor
 * makes UCX open its devices.
 */
final class JucxNode implements AutoCloseable {

    private static final long TAG = 1;
    private static final long WHOLE_TAG = -1;
    private static final int GREETING_BYTES = 0;

    private final BenchmarkPollTimeout pollTimeout = new BenchmarkPollTimeout("completion");
    private final UcpContext context =
            new UcpContext(new UcpParams().requestTagFeature().requestRmaFeature());
    private final UcpWorker worker = context.newWorker(new UcpWorkerParams());
    private final MemorySegment memory;
    private final UcpMemory registration;
    private @Nullable UcpEndpoint endpoint;
    private @Nullable UcpRemoteKey remoteKey;
    private long remoteAddress;

    /**
     * Opens the devices.
     *
     * @param memory memory to register until this node is closed; the caller frees it afterwards
     */
    JucxNode(MemorySegment memory) {
        this.memory = memory;
        this.registration = context.memoryMap(
                new UcpMemMapParams().setAddress(memory.address()).setLength(memory.byteSize()));
    }

    /** Connects both ends, and returns after messages have passed in both directions. */
    void connect(BenchmarkControlLink link, boolean client) throws IOException {
        link.send(JucxRemoteMemory.hex(worker.getAddress()));
        endpoint = worker.newEndpoint(new UcpEndpointParams().setUcpAddress(JucxRemoteMemory.bytes(awaitLine(link))));
        link.send(new JucxRemoteMemory(registration.getAddress(), registration.getRemoteKeyBuffer()).line());
        JucxRemoteMemory peer = JucxRemoteMemory.parse(awaitLine(link));
        remoteKey = endpoint.unpackRemoteKey(peer.key());
        remoteAddress = peer.address();
        greet(client);
    }

    /** Exchanges empty messages, because UCX connects with the first messages, while both ends poll. */
    private void greet(boolean client) {
        if (client) {
            await(send(0, GREETING_BYTES));
        }
        await(receive(0, GREETING_BYTES));
        if (!client) {
            await(send(0, GREETING_BYTES));
        }
    }

    static String awaitLine(BenchmarkControlLink link) throws IOException {
        @Nullable String line = link.receive();
        if (line == null) {
            throw new IOException("the peer closed the connection during a run; see the peer's output for the reason");
        }
        return line;
    }

    MemorySegment memory() {
        return memory;
    }

    /** Sends a tagged message from the memory. */
    UcpRequest send(long offset, int bytes) {
        return endpoint().sendTaggedNonBlocking(memory.address() + offset, bytes, TAG, null);
    }

    /** Receives a tagged message into the memory. */
    UcpRequest receive(long offset, int bytes) {
        return worker.recvTaggedNonBlocking(memory.address() + offset, bytes, TAG, WHOLE_TAG, null);
    }

    /** Reads from the beginning of the peer's memory into this node's memory. */
    UcpRequest read(int bytes) {
        if (remoteKey == null) {
            throw new IllegalStateException("cannot read: not connected; call connect first");
        }
        return endpoint().getNonBlocking(remoteAddress, remoteKey, memory.address(), bytes, null);
    }

    private UcpEndpoint endpoint() {
        if (endpoint == null) {
            throw new IllegalStateException("not connected; call connect first");
        }
        return endpoint;
    }

    /** Polls until the request has completed, and throws if it failed or nothing completes for 60 s. */
    void await(UcpRequest request) {
        while (!request.isCompleted()) {
            if (progress() == 0) {
                pollTimeout.check();
            }
        }
        pollTimeout.reset();
        if (request.getStatus() != 0) {
            throw new UcxException("a UCX request failed with status " + request.getStatus());
        }
    }

    /** Progresses the worker. JUCX declares any exception, but its native code throws unchecked exceptions only. */
    private int progress() {
        try {
            return worker.progress();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        if (remoteKey != null) {
            remoteKey.close();
        }
        if (endpoint != null) {
            endpoint.close();
        }
        registration.close();
        worker.close();
        context.close();
    }
}
