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
 * Ends a queue pair in order: when it is drained no work request is outstanding, so its memory may be freed and every
 * request has had its completion.
 *
 * <ol>
 *   <li>The state ERR: all outstanding requests end with a flush error.
 *   <li>A beacon in each queue: one more request, whose flush completion comes last because queues are served in order.
 *       Waiting for the beacon does not depend on events that some providers do not deliver.
 *   <li>The state ERR again: some providers (rxe) look at what was posted in ERR only when the state is set.
 * </ol>
 *
 * <p>Nobody else posts to the queue pair any more. Who polls the completion queues may be this ({@link #await}) or the
 * loop that did so before, which then passes on what it takes ({@link #onCompletion}). A queue pair in RESET has nothing
 * outstanding and is drained at once. One thread. A receive queue that is shared is not drained: its receives stay in it
 * for the other queue pairs, and what this queue pair had taken is told by {@link AsyncEventType#QP_LAST_WQE_REACHED}.
 *
 * <p>Afterwards close the queue pair.
 */
public final class QueuePairDrain {

    /** What requests of the queue pair must not have as identifier: the beacon of the send queue. */
    public static final long SEND_BEACON = 0xBEAC_0000_0000_0001L;

    /** What requests of the queue pair must not have as identifier: the beacon of the receive queue. */
    public static final long RECEIVE_BEACON = 0xBEAC_0000_0000_0002L;

    private static final int BATCH = 16;
    private static final int MAX_BACKOFF_MILLIS = 8;

    private final QueuePair queuePair;
    private final CompletionQueue[] queues;
    private final @Nullable AddressHandle datagramsTo;
    private boolean sendIsPosted;
    private boolean receiveIsPosted;
    private boolean sendIsDrained;
    private boolean receiveIsDrained;

    /** Takes the completions of other requests, which a drain meets on its way. */
    @FunctionalInterface
    public interface Others {

        /**
         * Takes a completion.
         *
         * @param completions the batch it is in
         * @param index its entry
         */
        void onCompletion(WorkCompletions completions, int index);
    }

    private QueuePairDrain(QueuePair queuePair, QueuePairConfig config, @Nullable AddressHandle datagramsTo) {
        this.queuePair = queuePair;
        this.datagramsTo = datagramsTo;
        this.queues = config.sendCq().equals(config.receiveCq())
                ? new CompletionQueue[] {config.sendCq()}
                : new CompletionQueue[] {config.sendCq(), config.receiveCq()};
        this.receiveIsDrained =
                config.sharedReceiveQueue() != null || config.capabilities().maxReceiveWr() == 0;
        this.sendIsDrained = config.capabilities().maxSendWr() == 0;
    }

    /**
     * Begins to drain a connection: it goes to ERR.
     *
     * @param queuePair RC or UC
     * @param config what it was made from
     * @return the drain, to be awaited or fed
     * @throws RdmaVerbsException when the state cannot be changed
     */
    public static QueuePairDrain begin(QueuePair queuePair, QueuePairConfig config) {
        if (config.type() == QueuePairType.UD) {
            throw new IllegalArgumentException("The beacon of a UD queue pair needs an address handle: pass any of its"
                    + " protection domain; nothing is sent to it");
        }
        return new QueuePairDrain(queuePair, config, null).start();
    }

    /**
     * Begins to drain a datagram queue pair: it goes to ERR.
     *
     * @param queuePair UD
     * @param config what it was made from
     * @param any an address handle of its protection domain, which a datagram cannot do without; nothing is sent there
     * @return the drain, to be awaited or fed
     * @throws RdmaVerbsException when the state cannot be changed
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

    /** A queue may be full until some of its flush completions were taken. */
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
        if (datagramsTo != null) {
            beacon.setDatagram(0, datagramsTo.handle(), queuePair.number(), 0);
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
                    "Queue pair " + queuePair.number() + " in ERR takes no beacon: close it, then free its memory");
        }
        return errno == 0;
    }

    /**
     * Looks at a completion that somebody else has polled.
     *
     * @param completions the batch it is in
     * @param index its entry
     * @return true when it was a beacon; every other one belongs to the caller
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
     * Tells whether both queues are empty. Call it now and then when completions come through {@link #onCompletion}: it
     * also posts beacons that found no room at first.
     *
     * @return true when every work request has had its completion
     */
    public boolean isDrained() {
        if (!(sendIsDrained && receiveIsDrained)) {
            postBeacons();
        }
        return sendIsDrained && receiveIsDrained;
    }

    /**
     * Polls the queue pair's completion queues until it is drained. A dead queue or device makes no completions: then
     * this ends with the time-out, also when other queue pairs keep a shared completion queue busy.
     *
     * @param timeout how long to try at most
     * @param others takes all completions that are not beacons, those of other queue pairs included
     * @return whether it is drained; when not, close the queue pair before its memory is freed
     * @throws RdmaVerbsException when a completion queue fails
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

    /** The flush is up to the device: looking more often does not make it faster. */
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
