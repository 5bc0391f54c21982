package io.rdmarpc.verbs.connect;

import io.rdmarpc.verbs.AddressHandle;
import io.rdmarpc.verbs.AsyncEventType;
import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.QueuePairConfig;
import io.rdmarpc.verbs.attributes.QueuePairAttributes;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.wr.ReceiveRequests;
import io.rdmarpc.verbs.wr.SendFlags;
import io.rdmarpc.verbs.wr.SendOpcode;
import io.rdmarpc.verbs.wr.SendRequests;
import io.rdmarpc.verbs.wr.WorkCompletions;
import java.lang.foreign.Arena;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Drains a queue pair before it is closed. Afterwards every work request has completed, and the memory of the requests
 * may be freed.
 *
 * <ol>
 *   <li>The queue pair enters the state ERR: the device flushes all outstanding requests with an error.
 *   <li>A beacon is posted to each queue. A beacon is an additional request. Its flush completion is the last one,
 *       because a device processes each queue in order. The drain therefore needs no events, which some providers do
 *       not deliver.
 *   <li>The state is set to ERR again: some providers (rxe) process requests that were posted in ERR only when the
 *       state is set.
 * </ol>
 *
 * <p>After the start, no other thread may post to the queue pair. Either {@link #await} polls the completion queues, or
 * the existing polling loop continues and passes each completion to {@link #onCompletion}. A queue pair in RESET has no
 * outstanding requests and is drained at once. Not thread-safe.
 *
 * <p>A shared receive queue is not drained: its receives remain for the other queue pairs.
 * {@link AsyncEventType#QP_LAST_WQE_REACHED} reports that this queue pair consumes no further receives.
 *
 * <p>Close the queue pair afterwards.
 */
public final class QueuePairDrain {

    /** The work request identifier of the send queue's beacon; other requests of the queue pair must not use it. */
    public static final long SEND_BEACON = 0xBEAC_0000_0000_0001L;

    /** The work request identifier of the receive queue's beacon; other requests of the queue pair must not use it. */
    public static final long RECEIVE_BEACON = 0xBEAC_0000_0000_0002L;

    private static final int BATCH = 16;
    private static final int MAX_BACKOFF_MILLIS = 8;

    private final QueuePair queuePair;
    private final CompletionQueue[] queues;
    private final @Nullable AddressHandle beaconTarget;
    private boolean sendIsPosted;
    private boolean receiveIsPosted;
    private boolean sendIsDrained;
    private boolean receiveIsDrained;

    /** Receives the completions that are not beacons. */
    @FunctionalInterface
    public interface Others {

        /**
         * Handles a completion.
         *
         * @param completions the batch that contains the completion
         * @param index its entry
         */
        void onCompletion(WorkCompletions completions, int index);
    }

    private QueuePairDrain(QueuePair queuePair, QueuePairConfig config, @Nullable AddressHandle beaconTarget) {
        this.queuePair = queuePair;
        this.beaconTarget = beaconTarget;
        this.queues = config.sendCq().equals(config.receiveCq())
                ? new CompletionQueue[] {config.sendCq()}
                : new CompletionQueue[] {config.sendCq(), config.receiveCq()};
        this.receiveIsDrained =
                config.sharedReceiveQueue() != null || config.capabilities().maxReceiveWr() == 0;
        this.sendIsDrained = config.capabilities().maxSendWr() == 0;
    }

    /**
     * Starts to drain a connected queue pair, which enters ERR.
     *
     * @param queuePair RC or UC
     * @param config the parameters with which it was created
     * @return the drain; call {@link #await} or {@link #onCompletion}
     * @throws RdmaVerbsException if the state cannot be changed
     */
    public static QueuePairDrain begin(QueuePair queuePair, QueuePairConfig config) {
        if (config.type() == QueuePairType.UD) {
            throw new IllegalArgumentException("The beacon of a UD queue pair requires an address handle: pass one of"
                    + " its protection domain; no datagram is sent");
        }
        return new QueuePairDrain(queuePair, config, null).start();
    }

    /**
     * Starts to drain a UD queue pair, which enters ERR.
     *
     * @param queuePair UD
     * @param config the parameters with which it was created
     * @param any an address handle of its protection domain, which the beacon requires; no datagram is sent
     * @return the drain; call {@link #await} or {@link #onCompletion}
     * @throws RdmaVerbsException if the state cannot be changed
     */
    public static QueuePairDrain begin(QueuePair queuePair, QueuePairConfig config, AddressHandle any) {
        return new QueuePairDrain(queuePair, config, any).start();
    }

    private QueuePairDrain start() {
        if (queuePair.queryState() == QueuePairState.RESET) {
            sendIsDrained = true;
            receiveIsDrained = true;
            return this;
        }
        setError();
        postBeacons();
        return this;
    }

    private void setError() {
        queuePair.modify(new QueuePairAttributes().state(QueuePairState.ERR));
    }

    /**
     * Posts the beacons that are not posted yet. A queue may be full until some of its flush completions were polled.
     */
    private void postBeacons() {
        boolean posted = false;
        try (Arena arena = Arena.ofConfined()) {
            if (!sendIsPosted && !sendIsDrained) {
                sendIsPosted = postSendBeacon(arena);
                posted = sendIsPosted;
            }
            if (!receiveIsPosted && !receiveIsDrained) {
                receiveIsPosted = postReceiveBeacon(arena);
                posted |= receiveIsPosted;
            }
        }
        if (posted) {
            setError();
        }
    }

    private boolean postSendBeacon(Arena arena) {
        SendRequests beacon = SendRequests.allocate(arena, 1, 1);
        beacon.set(0, SEND_BEACON, SendOpcode.SEND, SendFlags.SIGNALED, 0);
        if (beaconTarget != null) {
            beacon.setDatagram(0, beaconTarget.handle(), queuePair.number(), 0);
        }
        beacon.chain(0, 1);
        return isPosted("ibv_post_send", queuePair.postSend(beacon, 0));
    }

    private boolean postReceiveBeacon(Arena arena) {
        ReceiveRequests beacon = ReceiveRequests.allocate(arena, 1);
        beacon.set(0, RECEIVE_BEACON, 0, 0, 0);
        beacon.chain(0, 1);
        return isPosted("ibv_post_recv", queuePair.postReceive(beacon, 0));
    }

    private boolean isPosted(String verb, int errno) {
        if (errno != 0 && errno != Errno.ENOMEM) {
            throw new RdmaVerbsException(
                    verb,
                    "",
                    errno,
                    "Queue pair " + queuePair.number() + " in ERR rejects the beacon: close it, then free its memory");
        }
        return errno == 0;
    }

    /**
     * Handles a completion that the caller has polled.
     *
     * @param completions the batch that contains the completion
     * @param index its entry
     * @return true if it was a beacon; all other completions belong to the caller
     */
    public boolean onCompletion(WorkCompletions completions, int index) {
        if (completions.qpNumber(index) != queuePair.number()) {
            return false;
        }
        long wrId = completions.wrId(index);
        sendIsDrained |= wrId == SEND_BEACON;
        receiveIsDrained |= wrId == RECEIVE_BEACON;
        return wrId == SEND_BEACON || wrId == RECEIVE_BEACON;
    }

    /**
     * Returns whether both queues are empty. Also posts beacons for which a queue had no room. Callers of
     * {@link #onCompletion} must therefore call it repeatedly.
     *
     * @return true if every work request has completed
     */
    public boolean isDrained() {
        if (!(sendIsDrained && receiveIsDrained)) {
            postBeacons();
        }
        return sendIsDrained && receiveIsDrained;
    }

    /**
     * Polls the queue pair's completion queues until it is drained. A failed queue or device delivers no completions.
     * The method then ends with the timeout, even if other queue pairs keep a shared completion queue busy.
     *
     * @param timeout maximum time to wait
     * @param others receives all completions that are not beacons, including those of other queue pairs
     * @return whether the queue pair is drained; otherwise close it before its memory is freed
     * @throws RdmaVerbsException if a completion queue fails
     */
    public boolean await(Duration timeout, Others others) {
        long start = System.nanoTime();
        try (Arena arena = Arena.ofConfined()) {
            WorkCompletions completions = WorkCompletions.allocate(arena, BATCH);
            int backoff = 0;
            while (!isDrained()) {
                boolean idle = poll(completions, others) == 0;
                if (Duration.ofNanos(System.nanoTime() - start).compareTo(timeout) >= 0) {
                    return isDrained();
                }
                backoff = idle ? Math.min(backoff + 1, MAX_BACKOFF_MILLIS) : 0;
                if (backoff > 0 && !pause(backoff)) {
                    return isDrained();
                }
            }
            return true;
        }
    }

    private int poll(WorkCompletions completions, Others others) {
        int sum = 0;
        for (CompletionQueue queue : queues) {
            int taken = queue.poll(completions, BATCH);
            if (taken < 0) {
                throw new RdmaVerbsException(
                        "ibv_poll_cq", "", -taken, "The queue pair cannot be drained: close it, then free its memory");
            }
            for (int i = 0; i < taken; i++) {
                if (!onCompletion(completions, i)) {
                    others.onCompletion(completions, i);
                }
            }
            sum += taken;
        }
        return sum;
    }

    /**
     * Sleeps before the next poll. The device determines the speed of the flush; more frequent polling does not
     * accelerate it.
     */
    private static boolean pause(int millis) {
        try {
            Thread.sleep(millis);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
