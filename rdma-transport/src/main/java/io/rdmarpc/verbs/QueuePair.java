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
        throw RdmaVerbsException.notSupported("ibv_query_qp", "", "This provider tells the state only: use queryState");
    }

    /**
     * Changes attributes and state ({@code ibv_modify_qp}). Blocks on real devices.
     *
     * @param attributes what to change
     * @throws RdmaVerbsException when the device refuses, with what was asked for
     */
    void modify(QueuePairAttributes attributes);

    /**
     * Posts a postlist of sends ({@code ibv_post_send}).
     *
     * @param requests the array that holds the list
     * @param first index of its first work request; the list ends where {@link SendRequests#next} is -1
     * @return 0, or an error number, then {@link SendRequests#badIndex()} is the first one not posted:
     *     {@link Errno#ENOMEM} for a full queue, and without checks {@link Errno#EINVAL} for a wrong state or request
     * @throws RdmaWorkRequestException when checks are on and a request cannot work, or the queue pair is closed or not
     *     ready; nothing of the list has been posted then
     */
    int postSend(SendRequests requests, int first);

    /**
     * Posts a postlist of receives ({@code ibv_post_recv}).
     *
     * @param requests the array that holds the list
     * @param first index of its first receive
     * @return 0, or an error number, then {@link ReceiveRequests#badIndex()} is the first one not posted
     * @throws RdmaWorkRequestException when checks are on and a receive cannot work, the queue pair is closed or in RESET,
     *     or takes its receives from a shared queue; nothing of the list has been posted then
     */
    int postReceive(ReceiveRequests requests, int first);

    /** Destroys the queue pair; outstanding work requests end without completions. A second call does nothing. */
    @Override
    void close();
}
