package io.rdmarpc.async;

import io.rdmarpc.async.error.RdmaConnectionLostException;
import io.rdmarpc.async.error.RdmaExchangeException;
import io.rdmarpc.async.error.RdmaOperation;
import io.rdmarpc.async.error.RdmaRegionBusyException;
import io.rdmarpc.async.error.RdmaRegionClosedException;
import io.rdmarpc.async.exchange.PeerLivenessMonitor;
import io.rdmarpc.verbs.error.RdmaException;
import io.rdmarpc.verbs.wr.CompletionOpcode;
import io.rdmarpc.verbs.wr.WorkCompletions;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A reliable connection to one peer. Operations return a future and never throw. Thread-safe.
 *
 * <p>An operation keeps its local slice until the device has finished with it, even if its future is cancelled or times
 * out first. Cancelling an operation withdraws it if it was not posted yet. A posted operation is still executed: a
 * cancelled receive still consumes the next message. After one operation has failed at the device, the connection has
 * ended and all others fail with {@link RdmaConnectionLostException}.
 *
 * <p>Futures complete on the node's polling thread, or on the executor with which the node was opened. A callback on
 * the polling thread must not wait for another operation: only that thread would complete it.
 */
public final class RdmaConnection implements AutoCloseable {

    private final RdmaNode node;
    private final ConnectionCore link;
    private final OperationCheck check;
    private volatile @Nullable InetSocketAddress listener;

    RdmaConnection(RdmaNode node, ConnectionCore link) {
        this.node = node;
        this.link = link;
        this.check = new OperationCheck(node.core());
    }

    /**
     * Sends a message; the peer must have called {@link #receive} with a slice long enough.
     *
     * @param local the message; may be read but not written until the operation ends
     * @return a future that completes when the peer's device has received the message
     */
    public CompletableFuture<Void> send(LocalSlice local) {
        return submit(new Operation<>(RdmaOperation.SEND, local, null, RdmaConnection::nothing));
    }

    /**
     * Sends a message with 32 bits of immediate data.
     *
     * @param local the message, may be empty; may be read but not written until the operation ends
     * @param immediate the immediate data
     * @return a future that completes when the peer's device has received the message
     */
    public CompletableFuture<Void> sendWithImmediate(LocalSlice local, int immediate) {
        Operation<Void> operation =
                new Operation<>(RdmaOperation.SEND_WITH_IMMEDIATE, local, null, RdmaConnection::nothing);
        operation.immediate = immediate;
        return submit(operation);
    }

    /**
     * Posts a receive for one message of the peer, or for the immediate data of one write. Receives are used in the
     * order in which they were posted.
     *
     * @param local the buffer; empty for immediate data only; must not be accessed until the operation ends
     * @return a future that completes with the length and the immediate data of the message
     */
    public CompletableFuture<Received> receive(LocalSlice local) {
        return submit(new Operation<>(RdmaOperation.RECEIVE, local, null, RdmaConnection::received));
    }

    /**
     * Reads memory of the peer.
     *
     * @param local the destination, as long as the range to read; must not be accessed until the operation ends
     * @param remote the source, at least as long, registered with REMOTE_READ
     * @return a future that completes when the bytes are in local memory
     */
    public CompletableFuture<Void> read(LocalSlice local, RemoteMemoryRange remote) {
        return submit(new Operation<>(RdmaOperation.READ, local, remote, RdmaConnection::nothing));
    }

    /**
     * Writes to memory of the peer without notifying the peer.
     *
     * @param local the source; may be read but not written until the operation ends
     * @param remote the destination, at least as long, registered with REMOTE_WRITE
     * @return a future that completes when the peer's device has received the bytes
     */
    public CompletableFuture<Void> write(LocalSlice local, RemoteMemoryRange remote) {
        return submit(new Operation<>(RdmaOperation.WRITE, local, remote, RdmaConnection::nothing));
    }

    /**
     * Writes to memory of the peer and completes one of its receives.
     *
     * @param local the source, may be empty; may be read but not written until the operation ends
     * @param remote the destination, at least as long, registered with REMOTE_WRITE
     * @param immediate 32 bits for the peer's receive
     * @return a future that completes when the peer's device has received the bytes
     */
    public CompletableFuture<Void> writeWithImmediate(LocalSlice local, RemoteMemoryRange remote, int immediate) {
        Operation<Void> operation =
                new Operation<>(RdmaOperation.WRITE_WITH_IMMEDIATE, local, remote, RdmaConnection::nothing);
        operation.immediate = immediate;
        return submit(operation);
    }

    /**
     * Compares 8 bytes of the peer's memory with an expected value, in the peer's byte order, and replaces them if they
     * are equal. The operation is atomic with regard to operations of RDMA devices.
     *
     * @param remote exactly 8 bytes, aligned to 8, registered with REMOTE_ATOMIC
     * @param expected the expected value
     * @param update the new value
     * @return a future that completes with the original value; the swap took place if it equals the expected value
     */
    public CompletableFuture<Long> compareAndSwap(RemoteMemoryRange remote, long expected, long update) {
        Operation<Long> operation =
                new Operation<>(RdmaOperation.COMPARE_AND_SWAP, null, remote, RdmaConnection::originalValue);
        operation.firstOperand = expected;
        operation.secondOperand = update;
        return submit(operation);
    }

    /**
     * Adds to 8 bytes of the peer's memory, atomically with regard to operations of RDMA devices.
     *
     * @param remote exactly 8 bytes, aligned to 8, registered with REMOTE_ATOMIC
     * @param addend the number to add
     * @return a future that completes with the original value
     */
    public CompletableFuture<Long> fetchAndAdd(RemoteMemoryRange remote, long addend) {
        Operation<Long> operation =
                new Operation<>(RdmaOperation.FETCH_AND_ADD, null, remote, RdmaConnection::originalValue);
        operation.firstOperand = addend;
        return submit(operation);
    }

    private static @Nullable Void nothing(WorkCompletions completions, int index, MemorySegment scratchWord) {
        return null;
    }

    private static Long originalValue(WorkCompletions completions, int index, MemorySegment scratchWord) {
        return scratchWord.get(ValueLayout.JAVA_LONG, 0);
    }

    private static Received received(WorkCompletions completions, int index, MemorySegment scratchWord) {
        boolean withImmediate = (completions.flags(index) & WorkCompletions.FLAG_WITH_IMM) != 0;
        return new Received(
                completions.byteLength(index),
                withImmediate ? OptionalInt.of(completions.immediate(index)) : OptionalInt.empty(),
                completions.opcode(index) == CompletionOpcode.RECV_RDMA_WITH_IMM);
    }

    private <T> CompletableFuture<T> submit(Operation<T> operation) {
        try {
            RdmaException rejection = check.rejection(operation);
            if (rejection != null) {
                operation.fail(rejection);
            } else {
                operation.claim();
                link.submit(operation);
            }
        } catch (RdmaRegionBusyException | RdmaRegionClosedException e) {
            operation.fail(e);
        }
        if (operation.hasFailed()) {
            operation.release();
            operation.deliver(null);
        } else {
            node.core().wakePoller();
        }
        return operation;
    }

    /** Sets the address to which {@link #another} connects. */
    void connectedTo(InetSocketAddress address) {
        listener = address;
    }

    /**
     * Opens another connection to the same listener, with the same local memory.
     *
     * @return the connection, to be closed by the caller
     * @throws RdmaExchangeException if the connection cannot be established
     * @throws IllegalStateException if this connection was accepted, or created from exchanged endpoints
     */
    public RdmaConnection another() {
        InetSocketAddress address = listener;
        if (address == null) {
            throw new IllegalStateException(
                    this + " was not created by RdmaNode.connect, so the peer's listener is unknown. Use "
                            + "RdmaNode.connect");
        }
        return node.connect(address);
    }

    /**
     * Returns the node of this connection.
     *
     * @return the node
     */
    public RdmaNode node() {
        return node;
    }

    /**
     * Returns whether the connection accepts operations.
     *
     * @return false once it has ended or is ending
     */
    public boolean isOpen() {
        return link.isOpen();
    }

    /**
     * Returns how many operations have not ended, including cancelled ones.
     *
     * @return posted and waiting operations
     */
    public int pending() {
        return link.pending();
    }

    /**
     * Returns a future that completes when the connection has ended for any reason. All its operations have then ended,
     * and the device no longer accesses their memory.
     *
     * @return a future that completes at the end of the connection
     */
    public CompletableFuture<Void> ended() {
        return link.ended().copy();
    }

    /**
     * Ends the connection and notifies the peer. Pending operations fail. Waits for at most the node's close timeout
     * plus the time that the device needs to destroy a queue pair. On a thread of the node it does not wait. A second
     * call only waits.
     */
    @Override
    public void close() {
        startClosing();
        node.core().await(link.ended());
    }

    void startClosing() {
        link.fail(new RdmaExchangeException(
                RdmaExchangeException.Reason.CLOSED, this + " was closed on this side", null));
    }

    void watch(PeerLivenessMonitor peer) {
        link.watch(peer);
    }

    @Override
    public String toString() {
        return link.toString();
    }
}
