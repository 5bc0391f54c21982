package io.rdmarpc.verbs.ipc;

import io.rdmarpc.verbs.QueuePair;
import org.jspecify.annotations.Nullable;

/**
 * The extension of a queue pair for processes on one host. A provider's queue pair implements it alongside
 * {@link QueuePair}. The default methods report that the feature is missing. The thread rules are those of the queue
 * pair, unless a method states others.
 */
public interface IpcQueuePair {

    /** The extension of queue pairs without these features, such as hardware queue pairs. */
    IpcQueuePair NONE = new IpcQueuePair() {};

    /**
     * Returns the extension of a queue pair. Call it once per transport or connection, not for each request.
     *
     * @param queuePair a queue pair of any provider
     * @return the queue pair itself if it has the extension, otherwise {@link #NONE}
     */
    static IpcQueuePair of(QueuePair queuePair) {
        return queuePair instanceof IpcQueuePair ipc ? ipc : NONE;
    }

    /**
     * Returns whether {@link #hasSentAll} reports the progress of sends, so that sends need no completions.
     *
     * @return false if only completions report progress
     */
    default boolean reportsSendProgress() {
        return false;
    }

    /**
     * Returns whether all posted sends have been transmitted without a failure. Their memory may then change, whether
     * they were signaled or not. The call is cheap once all sends are transmitted. A failed send has a completion,
     * signaled or not.
     *
     * @return false if a send is pending or was flushed, or if {@link #reportsSendProgress} is false
     */
    default boolean hasSentAll() {
        return false;
    }

    /**
     * Returns the channel for datagrams to and from peers on this host.
     *
     * @return always the same object for a UD queue pair whose provider has shared memory; otherwise null
     */
    default @Nullable ShmDatagramChannel datagramChannel() {
        return null;
    }

    /**
     * Requests a view of a peer's memory instead of a READ. The peer checks the request like a READ. The request is
     * queued in order with sends and completes as an
     * {@linkplain io.rdmarpc.verbs.wr.CompletionOpcode#RDMA_READ RDMA READ}, signaled.
     *
     * <p>Memory that this queue pair has viewed before is available at once while its key is valid. In that case
     * nothing is posted and the peer is not involved; earlier sends may still be pending.
     *
     * @param wrId the identifier in the completion
     * @param remoteAddress first byte at the peer
     * @param rkey the peer's key
     * @param length the length in bytes
     * @return the view, which the caller closes. Its memory is available after its completion, or at once unless
     *     {@link PeerMemoryView#isPosted}. Null if the memory cannot be viewed, the queue is full, or the queue pair is
     *     not in RTS; nothing was posted then
     */
    default @Nullable PeerMemoryView postView(long wrId, long remoteAddress, int rkey, int length) {
        return null;
    }
}
