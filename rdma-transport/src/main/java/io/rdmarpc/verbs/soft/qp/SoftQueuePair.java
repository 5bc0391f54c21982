package io.rdmarpc.verbs.soft.qp;

import io.rdmarpc.verbs.AsyncEventType;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.QueuePairConfig;
import io.rdmarpc.verbs.attributes.QueuePairAttributes;
import io.rdmarpc.verbs.attributes.QueuePairCapabilities;
import io.rdmarpc.verbs.attributes.QueuePairMask;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.check.ReceiveRequestChecks;
import io.rdmarpc.verbs.check.SendRequestChecks;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.ipc.IpcQueuePair;
import io.rdmarpc.verbs.soft.domain.DomainContext;
import io.rdmarpc.verbs.soft.port.DeviceConstants;
import io.rdmarpc.verbs.soft.progress.Schedule;
import io.rdmarpc.verbs.soft.rnic.OpenChildren;
import io.rdmarpc.verbs.soft.rnic.RnicContext;
import io.rdmarpc.verbs.soft.rnic.SoftCompletionQueue;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import io.rdmarpc.verbs.wr.CompletionOpcode;
import io.rdmarpc.verbs.wr.CompletionStatus;
import io.rdmarpc.verbs.wr.ReceiveRequests;
import io.rdmarpc.verbs.wr.SendOpcode;
import io.rdmarpc.verbs.wr.SendRequests;
import io.rdmarpc.verbs.wr.WorkCompletions;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The common part of all queue pairs: state, posting, scheduling. Everything happens under the RNIC's lock, except the
 * use of a {@linkplain io.rdmarpc.verbs.ipc.ShmDatagramChannel shared-memory datagram channel}.
 */
public abstract class SoftQueuePair implements QueuePair, IpcQueuePair, OpenChildren.Child, Schedule.Ready {

    /**
     * The supported operations, which are all except those of memory windows; the bit with the number of each is set.
     */
    private static final int OPERATIONS = (1 << (SendOpcode.ATOMIC_FETCH_AND_ADD + 1)) - 1;

    private final DomainContext domain;
    private final RnicContext rnic;
    private final int number;
    private final QueuePairConfig config;
    private final Consumer<SoftQueuePair> onClose;
    private final SoftCompletionQueue sendCq;
    private final SoftCompletionQueue receiveCq;
    private final SendWqeQueue sendQueue;
    private final @Nullable SoftSharedReceiveQueue sharedReceives;
    private final ReceiveQueue receives;
    private final ReceiveWqe receive;
    private boolean hasReceive;
    private final @Nullable SendRequestChecks sendChecks;
    private final @Nullable ReceiveRequestChecks receiveChecks;
    private QueuePairAttributes known = new QueuePairAttributes();
    /** Written under the lock; the shared-memory channel reads it without the lock. */
    private volatile QueuePairState state = QueuePairState.RESET;

    private boolean drainEventRequested;
    private boolean isScheduled;
    private boolean failing;
    private boolean closed;
    private boolean sentAll;

    protected SoftQueuePair(QueuePairParts parts) {
        this.domain = parts.domain();
        this.rnic = domain.rnic();
        this.number = parts.number();
        this.config = parts.config();
        this.sendCq = parts.sendCq();
        this.receiveCq = parts.receiveCq();
        this.onClose = parts.onClose();
        this.sendQueue = new SendWqeQueue(
                config.capabilities().maxSendWr(),
                config.capabilities().maxSendSge(),
                config.capabilities().maxInlineBytes());
        this.sharedReceives = (SoftSharedReceiveQueue) config.sharedReceiveQueue();
        this.receives = sharedReceives != null
                ? sharedReceives.receives()
                : new ReceiveQueue(
                        config.capabilities().maxReceiveWr(),
                        config.capabilities().maxReceiveSge());
        this.receive = receives.spare();
        this.sendChecks =
                config.checked() ? new SendRequestChecks(config.type(), config.capabilities(), OPERATIONS) : null;
        this.receiveChecks = config.checked() ? ReceiveRequestChecks.of(config, config.capabilities()) : null;
        if (sendChecks != null) {
            sendChecks.port(DeviceConstants.MAX_MESSAGE_BYTES, rnic.gids().largestMtu());
        }
    }

    /**
     * Applies attributes that were checked; throws without any change if one refers to an object that does not exist.
     */
    protected abstract void apply(QueuePairAttributes attributes);

    /** Posts one send in state RTS; returns an error number or 0. */
    protected abstract int postSend(SendRequests requests, int index, SendWqe into);

    /** Handles a packet with a valid header and ICRC, in any state. */
    public abstract void onPacket(int localIndex, long sourceHigh, long sourceLow, PacketBuffer packet);

    /** Sends a bounded number of packets; true if more can be sent now. */
    protected abstract boolean sendSome();

    /** Returns whether every message that was begun is complete (state SQD). */
    protected abstract boolean isDrained();

    /** Discards all messages in progress. */
    protected abstract void forget();

    /** Releases, at close, the resources that a reset keeps. */
    protected void releaseResources() {}

    @Override
    public final int number() {
        return number;
    }

    @Override
    public final QueuePairType type() {
        return config.type();
    }

    @Override
    public final QueuePairCapabilities capabilities() {
        return config.capabilities();
    }

    public final DomainContext domain() {
        return domain;
    }

    public final RnicContext rnic() {
        return rnic;
    }

    protected final SoftCompletionQueue receiveCq() {
        return receiveCq;
    }

    public final SendWqeQueue sendQueue() {
        return sendQueue;
    }

    final QueuePairState state() {
        return state;
    }

    protected final boolean isReceiving() {
        return switch (state) {
            case RTR, RTS, SQD, SQE -> true;
            case RESET, INIT, ERR -> false;
        };
    }

    /** Returns whether new messages may be begun. */
    public final boolean mayBegin() {
        return state == QueuePairState.RTS;
    }

    /** Returns whether messages that were begun may be sent (10.3.1.5). */
    protected final boolean maySend() {
        return state == QueuePairState.RTS || state == QueuePairState.SQD;
    }

    public final void report(AsyncEventType type) {
        domain.events().add(type, this);
    }

    @Override
    public final QueuePairState queryState() {
        rnic.lock();
        try {
            return state;
        } finally {
            rnic.unlock();
        }
    }

    @Override
    public final QueuePairAttributes query() {
        rnic.lock();
        try {
            return new QueuePairAttributes()
                    .set(known)
                    .state(state)
                    .capabilities(capabilities())
                    .sendQueueDraining(state == QueuePairState.SQD && !isDrained());
        } finally {
            rnic.unlock();
        }
    }

    @Override
    public final void modify(QueuePairAttributes attributes) {
        if (attributes.has(QueuePairMask.AV)) {
            rnic.link().prepare();
        }
        rnic.lock();
        try {
            if (closed) {
                throw new RdmaVerbsException(
                        QueuePairValues.VERB,
                        DeviceConstants.NAME,
                        Errno.EINVAL,
                        "The queue pair is closed. Create another.");
            }
            QueuePairState next = QueuePairTransitions.check(type(), state, attributes);
            QueuePairValues.check(attributes);
            apply(attributes);
            known.set(attributes);
            drainEventRequested = attributes.has(QueuePairMask.EN_SQD_ASYNC_NOTIFY) && attributes.notifyWhenDrained();
            enter(next);
        } finally {
            rnic.unlock();
        }
    }

    private void enter(QueuePairState next) {
        switch (next) {
            case RESET -> {
                state = next;
                sendQueue.clear();
                forgetReceives();
                known = new QueuePairAttributes();
                forget();
            }
            case ERR -> enterError();
            case SQD -> {
                state = next;
                checkDrained();
            }
            case RTS -> {
                state = next;
                schedule();
            }
            default -> state = next;
        }
    }

    /** Reports once that all messages that were begun are complete (10.3.1.5). */
    public final void checkDrained() {
        if (drainEventRequested && state == QueuePairState.SQD && isDrained()) {
            drainEventRequested = false;
            report(AsyncEventType.SQ_DRAINED);
        }
    }

    /** Goes to ERR: every outstanding work request ends with a flush error (10.3.1.7). */
    public final void enterError() {
        boolean isNew = state != QueuePairState.ERR;
        state = QueuePairState.ERR;
        flushSends();
        flushReceives();
        forget();
        if (isNew && sharedReceives != null) {
            // The queue pair no longer uses receives of the shared queue (10.2.9.5).
            report(AsyncEventType.QP_LAST_WQE_REACHED);
        }
    }

    /**
     * Fails the queue pair because one of its completions was lost (11.6.3.2). It fails at its next scheduled run, not
     * while it handles a packet.
     */
    public final void loseCompletion() {
        if (state != QueuePairState.ERR && state != QueuePairState.RESET) {
            failing = true;
            schedule();
        }
    }

    /**
     * Fails a connection that failed to handle a packet, because its packets must not get lost. Datagrams may get lost.
     */
    public final void onFailedPacket() {
        if (type() != QueuePairType.UD) {
            loseCompletion();
        }
    }

    /** Fails the queue pair in its next run. If that run fails too, the queue pair is not scheduled again. */
    @Override
    public final void onScheduledFailure() {
        if (!failing) {
            loseCompletion();
        }
    }

    private void failNow() {
        if (!closed && state != QueuePairState.ERR && state != QueuePairState.RESET) {
            enterError();
            report(AsyncEventType.QP_FATAL);
        }
    }

    /** Goes to SQE: sends end with a flush error, receives continue (10.3.1.6; UC and UD only). */
    protected final void enterSendError() {
        state = QueuePairState.SQE;
        flushSends();
    }

    private void flushSends() {
        while (!sendQueue.isEmpty()) {
            completeSend(sendQueue.first().wrId, CompletionStatus.WR_FLUSH_ERR, 0, 0, 0);
            sendQueue.pop();
        }
    }

    public final void completeSend(long wrId, int status, int opcode, int vendorError, int byteLength) {
        boolean failed = status != CompletionStatus.SUCCESS;
        sendCq.add(wrId, status, opcode, vendorError, byteLength, 0, number, 0, 0, failed);
    }

    @Override
    public final int postSend(SendRequests requests, int first) {
        rnic.lock();
        try {
            if (sendChecks != null) {
                sendChecks.check(requests, first, closed ? null : state);
            }
            for (int index = first; index >= 0; index = requests.next(index)) {
                int errno = postSendOne(requests, index);
                if (errno != 0) {
                    requests.badIndex(index);
                    return errno;
                }
            }
            return 0;
        } finally {
            sentAll = hasNothingToSend();
            rnic.flush();
            rnic.unlock();
        }
    }

    /** {@inheritDoc} A positive result holds until the next post, so only a negative one is checked under the lock. */
    @Override
    public final boolean hasSentAll() {
        if (sentAll) {
            return true;
        }
        rnic.lock();
        try {
            sentAll = hasNothingToSend();
            return sentAll;
        } finally {
            rnic.unlock();
        }
    }

    private boolean hasNothingToSend() {
        return state == QueuePairState.RTS && sendQueue.isEmpty() && reportsSendProgress();
    }

    private int postSendOne(SendRequests requests, int index) {
        if (closed) {
            return Errno.EINVAL;
        }
        if (state == QueuePairState.RTS
                && requests.isPlainSend(index)
                && sendsAtOnce(requests, index, config.signalAll() || requests.isSignaled(index))) {
            return 0;
        }
        return switch (state) {
            case RTS, SQD -> postWhenReady(requests, index);
            case ERR, SQE -> flushAtOnce(requests.wrId(index));
            default -> Errno.EINVAL;
        };
    }

    private int postWhenReady(SendRequests requests, int index) {
        if (sendQueue.isFull()) {
            return Errno.ENOMEM;
        }
        SendWqe wqe = sendQueue.free();
        int errno = wqe.load(domain, requests, index, config.signalAll());
        if (errno == 0 && wqe.isInlined() && !sendsInPost(wqe)) {
            errno = wqe.keep(domain, requests, index);
        }
        return errno != 0 ? errno : postSend(requests, index, wqe);
    }

    /**
     * Sends a message immediately if nothing delays it and it qualifies for the fast path. Returns false if nothing was
     * done. The state is RTS. The request is a SEND with one scatter/gather entry and no flags except signaled.
     */
    protected boolean sendsAtOnce(SendRequests requests, int index, boolean signaled) {
        return false;
    }

    /**
     * Returns whether an inline message is sent before the post returns, or the subclass calls {@link SendWqe#keep}
     * itself.
     */
    protected boolean sendsInPost(SendWqe wqe) {
        return false;
    }

    private int flushAtOnce(long wrId) {
        completeSend(wrId, CompletionStatus.WR_FLUSH_ERR, 0, 0, 0);
        return 0;
    }

    // ---- receives ----

    /** Returns the number of posted receives; for a shared queue, of the whole queue. */
    public int postedReceives() {
        return receives.count();
    }

    @Override
    public final int postReceive(ReceiveRequests requests, int first) {
        rnic.lock();
        try {
            if (receiveChecks != null) {
                receiveChecks.check(requests, first, closed ? null : state);
            }
            for (int index = first; index >= 0; index = requests.next(index)) {
                int errno = postReceiveOne(requests, index);
                if (errno != 0) {
                    requests.badIndex(index);
                    return errno;
                }
            }
            return 0;
        } finally {
            rnic.unlock();
        }
    }

    private int postReceiveOne(ReceiveRequests requests, int index) {
        if (closed || sharedReceives != null || state == QueuePairState.RESET) {
            return Errno.EINVAL;
        }
        if (state == QueuePairState.ERR) {
            flushReceive(requests.wrId(index));
            return 0;
        }
        return receives.post(requests, index);
    }

    /** Returns the length of the receive that {@link #takeReceive} would remove; the queue is not empty. */
    protected final long nextReceiveLength() {
        return hasReceive ? receive.length() : receives.first().length();
    }

    protected final boolean hasNextReceive() {
        return hasReceive || !receives.isEmpty();
    }

    /**
     * Removes a receive from the queue for a message; false if there is none. A receive that was not completed is used
     * again.
     */
    public final boolean takeReceive() {
        if (!hasReceive && !receives.isEmpty()) {
            receives.take(receive);
            hasReceive = true;
            if (sharedReceives != null) {
                sharedReceives.checkLimit();
            }
        }
        return hasReceive;
    }

    /** Returns the oldest receive for {@link #completeInPlace}, or null if there is none or the queue is shared. */
    protected final @Nullable ReceiveWqe nextOwnReceive() {
        return hasReceive || sharedReceives != null || receives.isEmpty() ? null : receives.first();
    }

    /** Completes the oldest receive, which holds a message. */
    protected final void completeInPlace(ReceiveWqe filled, int byteLength, int sourceQp, boolean solicited) {
        receiveCq.add(
                filled.wrId(),
                CompletionStatus.SUCCESS,
                CompletionOpcode.RECV,
                0,
                byteLength,
                0,
                number,
                sourceQp,
                WorkCompletions.FLAG_GRH,
                solicited);
        receives.drop();
    }

    /** Returns the receive of the last {@link #takeReceive}. */
    public final ReceiveWqe receive() {
        return receive;
    }

    /** Completes the receive of {@link #takeReceive}; {@code solicited} if the sender requested an event. */
    public final void completeReceive(
            int opcode, int byteLength, int immediate, int flags, int sourceQp, boolean solicited) {
        hasReceive = false;
        receiveCq.add(
                receive.wrId(),
                CompletionStatus.SUCCESS,
                opcode,
                0,
                byteLength,
                immediate,
                number,
                sourceQp,
                flags,
                solicited);
    }

    /** Completes the receive of {@link #takeReceive} with an error. */
    public final void failReceive(int status) {
        hasReceive = false;
        receiveCq.add(receive.wrId(), status, CompletionOpcode.RECV, 0, 0, 0, number, 0, 0, true);
    }

    private void flushReceive(long wrId) {
        receiveCq.add(wrId, CompletionStatus.WR_FLUSH_ERR, CompletionOpcode.RECV, 0, 0, 0, number, 0, 0, true);
    }

    /**
     * Completes the queue pair's own receives with a flush error; receives of a shared queue stay for other queue
     * pairs.
     */
    private void flushReceives() {
        if (hasReceive) {
            failReceive(CompletionStatus.WR_FLUSH_ERR);
        }
        while (sharedReceives == null && takeReceive()) {
            failReceive(CompletionStatus.WR_FLUSH_ERR);
        }
    }

    private void forgetReceives() {
        hasReceive = false;
        if (sharedReceives == null) {
            receives.clear();
        }
    }

    // ---- scheduling ----

    /** Schedules the queue pair to run. */
    public final void schedule() {
        if (!isScheduled) {
            isScheduled = true;
            rnic.schedule().addReady(this);
        }
    }

    @Override
    public final void runScheduled() {
        isScheduled = false;
        if (failing) {
            failNow();
            failing = false;
        }
        if (!closed && sendSome()) {
            schedule();
        }
        checkDrained();
    }

    @Override
    public final void close() {
        rnic.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            state = QueuePairState.RESET;
            sendQueue.clear();
            forgetReceives();
            forget();
            releaseResources();
            domain.events().forget(this);
            sendCq.queuePairs().remove(this);
            receiveCq.queuePairs().remove(this);
            if (sharedReceives != null) {
                sharedReceives.queuePairs().remove(this);
            }
            onClose.accept(this);
        } finally {
            rnic.unlock();
        }
    }
}
