package io.rdmarpc.verbs;

import io.rdmarpc.verbs.attributes.QueuePairAttributes;
import io.rdmarpc.verbs.attributes.QueuePairCapabilities;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.error.RdmaWorkRequestException;
import io.rdmarpc.verbs.wr.ReceiveRequests;
import io.rdmarpc.verbs.wr.SendRequests;

/**
 * A send queue and a receive queue ({@code struct ibv_qp}). Posting is thread-safe as in libibverbs. An engine uses
 * each queue pair from one thread only.
 */
public interface QueuePair extends AutoCloseable {

    /**
     * Returns the number by which peers address this queue pair.
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
     * Returns the sizes that the device granted.
     *
     * @return at least the requested sizes
     */
    QueuePairCapabilities capabilities();

    /**
     * Queries the state; a system call on hardware devices.
     *
     * @return the current state
     */
    QueuePairState queryState();

    /**
     * Queries all attributes ({@code ibv_query_qp}).
     *
     * @return the current attributes; type and state determine which of them are valid
     */
    default QueuePairAttributes query() {
        throw RdmaVerbsException.notSupported(
                "ibv_query_qp", "", "This provider reports only the state: use queryState");
    }

    /**
     * Changes attributes and state ({@code ibv_modify_qp}). Blocks on hardware devices.
     *
     * @param attributes the changes
     * @throws RdmaVerbsException if the device rejects the request, with the requested changes
     */
    void modify(QueuePairAttributes attributes);

    /**
     * Posts a list of sends ({@code ibv_post_send}).
     *
     * @param requests the array that holds the list
     * @param first index of the first work request; the list ends where {@link SendRequests#next} is -1
     * @return 0 or an error number. After an error {@link SendRequests#badIndex()} is the first request that was not
     *     posted. {@link Errno#ENOMEM}: the queue is full. {@link Errno#EINVAL}, only without checks: wrong state or
     *     request
     * @throws RdmaWorkRequestException if checks are enabled and a request is invalid, or the queue pair is closed or not
     *     ready. Nothing of the list was posted then
     */
    int postSend(SendRequests requests, int first);

    /**
     * Posts a list of receives ({@code ibv_post_recv}).
     *
     * @param requests the array that holds the list
     * @param first index of the first receive
     * @return 0 or an error number. After an error {@link ReceiveRequests#badIndex()} is the first receive that was not
     *     posted
     * @throws RdmaWorkRequestException if checks are enabled and a receive is invalid, or the queue pair is closed, in
     *     RESET, or uses a shared receive queue. Nothing of the list was posted then
     */
    int postReceive(ReceiveRequests requests, int first);

    /** Destroys the queue pair. Outstanding work requests end without completions. A second call does nothing. */
    @Override
    void close();
}
