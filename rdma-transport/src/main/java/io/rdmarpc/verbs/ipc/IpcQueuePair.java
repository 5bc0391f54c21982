package io.rdmarpc.verbs.ipc;

import io.rdmarpc.verbs.QueuePair;
import org.jspecify.annotations.Nullable;

/**
 * What a queue pair offers between processes of one host. A provider's queue pair implements it alongside {@link QueuePair}. Each method has a
 * default that offers nothing. The rules for threads are those of the queue pair, unless a method says otherwise.
 */
public interface IpcQueuePair {

    /** Of a queue pair that offers nothing, as those of hardware. */
    IpcQueuePair NONE = new IpcQueuePair() {};

    /**
     * Returns what a queue pair offers. For the creation of a transport or a connection, not for each call.
     *
     * @param queuePair any provider's
     * @return the same object, or {@link #NONE}
     */
    static IpcQueuePair of(QueuePair queuePair) {
        return queuePair instanceof IpcQueuePair ipc ? ipc : NONE;
    }

    /**
     * Tells whether {@link #hasSentAll} reports when sends have left. Sends need no completions then.
     *
     * @return false where only completions report that
     */
    default boolean reportsSendProgress() {
        return false;
    }

    /**
     * Tells whether all posted sends have left without a failure. Their memory may change then, whether they were signaled or not. Costs
     * nearly nothing once they have left. A send that fails makes a completion, signaled or not.
     *
     * @return false when something is still to be sent or was flushed, and where {@link #reportsSendProgress} is false
     */
    default boolean hasSentAll() {
        return false;
    }

    /**
     * Returns the channel for datagrams to and from peers of this host.
     *
     * @return the same one each time for a UD queue pair whose provider has shared memory; otherwise null
     */
    default @Nullable ShmDatagramChannel datagramChannel() {
        return null;
    }

    /**
     * Asks for a view of a peer's memory instead of a READ. The peer checks the request as it checks a READ. The request takes its place among
     * the sends and completes as one, {@linkplain io.rdmarpc.verbs.wr.CompletionOpcode#RDMA_READ signaled}.
     *
     * <p>Memory that this queue pair has viewed before is available at once while its key is valid. Nothing is posted then, the peer is not
     * asked, and earlier sends may still be under way.
     *
     * @param wrId comes back in the completion
     * @param remoteAddress first byte at the peer
     * @param rkey its key
     * @param length bytes
     * @return the view, to be closed by the caller. It has memory when its completion is there, or at once unless it {@link
     *     PeerMemoryView#isPosted}. Null when the memory cannot be viewed from here, the queue is full, or the queue pair is not in RTS: nothing
     *     was posted then
     */
    default @Nullable PeerMemoryView postView(long wrId, long remoteAddress, int rkey, int length) {
        return null;
    }
}
