package io.rdmarpc.verbs;

import org.jspecify.annotations.Nullable;

/**
 * A send queue and a receive queue ({@code struct ibv_qp}). Posting is thread-safe as in libibverbs, but an engine keeps
 * each queue pair to one thread.
 */
public interface QueuePair extends AutoCloseable {

    /**
     * Returns the number peers address it by.
     *
     * @return 24 bits
     */
    int number();

    /**
     * Returns the transport service.
     *
     * @return the type given at creation
     */
    QueuePairType type();

    /**
     * Returns the sizes the device granted.
     *
     * @return at least what was asked for
     */
    QueuePairCapabilities capabilities();

    /**
     * Asks the device for the state; a system call on real devices.
     *
     * @return the state now
     */
    QueuePairState queryState();

    /**
     * Asks the device for all attributes ({@code ibv_query_qp}).
     *
     * @return the attributes now; which of them mean something depends on type and state
     */
    default QueuePairAttributes query() {
        throw VerbsException.notSupported("ibv_query_qp", "", "This provider tells the state only: use queryState");
    }

    /**
     * Changes attributes and state ({@code ibv_modify_qp}). Blocks on real devices.
     *
     * @param attributes what to change
     * @throws VerbsException when the device refuses, with what was asked for
     */
    void modify(QueuePairAttributes attributes);

    /**
     * Posts a postlist of sends ({@code ibv_post_send}).
     *
     * @param requests the array that holds the list
     * @param first index of its first work request; the list ends where {@link SendRequests#next} is -1
     * @return 0, or an error number, then {@link SendRequests#badIndex()} is the first one not posted:
     *     {@link Errno#ENOMEM} for a full queue, and without checks {@link Errno#EINVAL} for a wrong state or request
     * @throws WorkRequestException when checks are on and a request cannot work, or the queue pair is closed or not
     *     ready; nothing of the list has been posted then
     */
    int postSend(SendRequests requests, int first);

    /**
     * Tells whether {@link #hasSentAll} says when sends have left. Then who posts needs no completions for that.
     *
     * @return false where only completions tell, as those of hardware
     */
    default boolean showsSends() {
        return false;
    }

    /**
     * Tells whether all that was posted has left without a failure: its memory may change, whether it was signaled or not. Costs
     * nearly nothing when it has. A failure, of whatever send, makes a completion.
     *
     * @return false when something is still to be sent or was flushed, and where {@link #showsSends} says no
     */
    default boolean hasSentAll() {
        return false;
    }

    /**
     * Posts a postlist of receives ({@code ibv_post_recv}).
     *
     * @param requests the array that holds the list
     * @param first index of its first receive
     * @return 0, or an error number, then {@link ReceiveRequests#badIndex()} is the first one not posted
     * @throws WorkRequestException when checks are on and a receive cannot work, the queue pair is closed or in RESET,
     *     or takes its receives from a shared queue; nothing of the list has been posted then
     */
    int postReceive(ReceiveRequests requests, int first);

    /**
     * Returns a shorter way for datagrams.
     *
     * @return for a UD queue pair whose provider has one; else null
     */
    default @Nullable DatagramLanes lanes() {
        return null;
    }

    /**
     * Asks to see a peer's memory in place of a READ, where both ends are on one host. The peer checks it as it does a READ;
     * it takes its place among the sends, and completes as one, {@linkplain CompletionOpcode#RDMA_READ signaled}. What this
     * queue pair has seen before is there at once, while its key is valid: nothing is posted then, nobody asked, and sends
     * before it may still be under way.
     *
     * @param wrId comes back in the completion
     * @param remoteAddress first byte at the peer
     * @param rkey its key
     * @param length bytes
     * @return the view, to be closed by the caller: with memory when its completion is there, or at once unless it
     *     {@link RemoteView#isPosted}; or null when the memory cannot be seen from here, the queue is full, or the queue pair
     *     is not in RTS: nothing was posted then
     */
    default @Nullable RemoteView postView(long wrId, long remoteAddress, int rkey, int length) {
        return null;
    }

    /** Destroys the queue pair; outstanding work requests end without completions. A second call does nothing. */
    @Override
    void close();
}
