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
 * A reliable connection to one peer. Every operation answers with a future; it never throws. Any thread.
 *
 * <p>An operation keeps its local slice until the device is done, also when its future was cancelled or timed out
 * before. A cancelled operation that was not posted yet is not carried out; one that was, is: a cancelled receive
 * still takes the next message. Once one operation has failed at the device the connection has ended, and all others
 * fail with {@link RdmaConnectionLostException}.
 *
 * <p>Futures complete on the node's polling thread, or in the executor the node was opened with. Do not wait for another
 * operation in a callback on the polling thread: nobody would complete it.
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
     * @param local the message; may be read but not written until the end
     * @return completed when the peer's device has it
     */
    public CompletableFuture<Void> send(LocalSlice local) {
        return submit(new Operation<>(RdmaOperation.SEND, local, null, RdmaConnection::nothing));
    }

    /**
     * Sends a message with 32 bits that arrive beside it.
     *
     * @param local the message, may be empty; may be read but not written until the end
     * @param immediate the bits
     * @return completed when the peer's device has it
     */
    public CompletableFuture<Void> sendWithImmediate(LocalSlice local, int immediate) {
        Operation<Void> operation =
                new Operation<>(RdmaOperation.SEND_WITH_IMMEDIATE, local, null, RdmaConnection::nothing);
        operation.immediate = immediate;
        return submit(operation);
    }

    /**
     * Gives a place for one message of the peer, or for the immediate data of one write. Places are used in the order
     * they were given.
     *
     * @param local where to; empty for immediate data only; not to be touched until the end
     * @return completed with what came
     */
    public CompletableFuture<Received> receive(LocalSlice local) {
        return submit(new Operation<>(RdmaOperation.RECEIVE, local, null, RdmaConnection::received));
    }

    /**
     * Reads memory of the peer.
     *
     * @param local where to, as many bytes as are read; not to be touched until the end
     * @param remote where from, at least as long, granted with REMOTE_READ
     * @return completed when the bytes are there
     */
    public CompletableFuture<Void> read(LocalSlice local, RemoteMemoryRange remote) {
        return submit(new Operation<>(RdmaOperation.READ, local, remote, RdmaConnection::nothing));
    }

    /**
     * Writes into memory of the peer, which is not told.
     *
     * @param local where from; may be read but not written until the end
     * @param remote where to, at least as long, granted with REMOTE_WRITE
     * @return completed when the peer's device has it
     */
    public CompletableFuture<Void> write(LocalSlice local, RemoteMemoryRange remote) {
        return submit(new Operation<>(RdmaOperation.WRITE, local, remote, RdmaConnection::nothing));
    }

    /**
     * Writes into memory of the peer and completes one of its receives.
     *
     * @param local where from, may be empty; may be read but not written until the end
     * @param remote where to, at least as long, granted with REMOTE_WRITE
     * @param immediate 32 bits for the peer's receive
     * @return completed when the peer's device has it
     */
    public CompletableFuture<Void> writeWithImmediate(LocalSlice local, RemoteMemoryRange remote, int immediate) {
        Operation<Void> operation =
                new Operation<>(RdmaOperation.WRITE_WITH_IMMEDIATE, local, remote, RdmaConnection::nothing);
        operation.immediate = immediate;
        return submit(operation);
    }

    /**
     * Compares 8 bytes of the peer's memory, taken as a number in the peer's byte order, and replaces them when they are
     * as expected, atomically among operations of RDMA devices.
     *
     * @param remote exactly 8 bytes, aligned to 8, granted with REMOTE_ATOMIC
     * @param expected what must be there
     * @param update what replaces it
     * @return completed with the value found: the swap took place when it is the one expected
     */
    public CompletableFuture<Long> compareAndSwap(RemoteMemoryRange remote, long expected, long update) {
        Operation<Long> operation =
                new Operation<>(RdmaOperation.COMPARE_AND_SWAP, null, remote, RdmaConnection::valueFound);
        operation.firstOperand = expected;
        operation.secondOperand = update;
        return submit(operation);
    }

    /**
     * Adds to 8 bytes of the peer's memory, atomically among operations of RDMA devices.
     *
     * @param remote exactly 8 bytes, aligned to 8, granted with REMOTE_ATOMIC
     * @param addend what to add
     * @return completed with the value found before
     */
    public CompletableFuture<Long> fetchAndAdd(RemoteMemoryRange remote, long addend) {
        Operation<Long> operation =
                new Operation<>(RdmaOperation.FETCH_AND_ADD, null, remote, RdmaConnection::valueFound);
        operation.firstOperand = addend;
        return submit(operation);
    }

    private static @Nullable Void nothing(WorkCompletions completions, int index, MemorySegment scratchWord) {
        return null;
    }

    private static Long valueFound(WorkCompletions completions, int index, MemorySegment scratchWord) {
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

    /** Says where {@link #another} goes. */
    void connectedTo(InetSocketAddress address) {
        listener = address;
    }

    /**
     * Opens one more connection to the same listener, with the same memory.
     *
     * @return the connection, to be closed by the caller
     * @throws RdmaExchangeException when it does not come about
     * @throws IllegalStateException when this one was accepted, or made from raw end points
     */
    public RdmaConnection another() {
        InetSocketAddress address = listener;
        if (address == null) {
            throw new IllegalStateException(
                    this + " was not made by RdmaNode.connect: its peer has no listener that is known here");
        }
        return node.connect(address);
    }

    /**
     * Returns the node whose memory it uses.
     *
     * @return the parent
     */
    public RdmaNode node() {
        return node;
    }

    /**
     * Tells whether operations are taken.
     *
     * @return false once it has ended or is ending
     */
    public boolean isOpen() {
        return link.isOpen();
    }

    /**
     * Returns how many operations have not ended, cancelled ones too.
     *
     * @return those at the device and those that wait
     */
    public int pending() {
        return link.pending();
    }

    /**
     * Tells when it has ended, for whatever reason: all its operations too, and the device has let go of all memory.
     *
     * @return completed at the end
     */
    public CompletableFuture<Void> ended() {
        return link.ended().copy();
    }

    /**
     * Ends it and tells the peer. Operations that have not ended fail. Waits for the end, at most the node's close
     * time-out and as long as the device takes to destroy a queue pair; on a thread of the node it does not wait. A
     * second call only waits.
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
