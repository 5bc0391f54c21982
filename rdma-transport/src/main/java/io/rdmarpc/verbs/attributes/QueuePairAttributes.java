package io.rdmarpc.verbs.attributes;

import io.rdmarpc.verbs.AsyncEventType;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import org.jspecify.annotations.Nullable;

/**
 * What to change in a queue pair, or what was asked about it ({@code struct ibv_qp_attr} with its mask): each setter
 * also marks its attribute as set. A getter's value means something when its attribute {@linkplain #has is set}. For the
 * control path; one thread.
 */
public final class QueuePairAttributes {

    /**
     * The {@linkplain #rnrRetry number of retries} that never ends. A peer that forgets to post receives then stops the
     * connection without an error, so it is never a default.
     */
    public static final int RNR_RETRY_INFINITE = 7;

    private int mask;
    private QueuePairState state = QueuePairState.RESET;
    private QueuePairState currentState = QueuePairState.RESET;
    private boolean notifyWhenDrained;
    private int accessFlags;
    private int pkeyIndex;
    private int portNumber;
    private int qkey;
    private @Nullable AddressHandleAttributes addressVector;
    private PathMtu pathMtu = PathMtu.MTU_256;
    private int timeout;
    private int retryCount;
    private int rnrRetry;
    private int receivePsn;
    private int maxReadAtomic;
    private @Nullable AlternatePath alternatePath;
    private int minRnrTimer;
    private int sendPsn;
    private int maxDestReadAtomic;
    private PathMigrationState migrationState = PathMigrationState.MIGRATED;
    private @Nullable QueuePairCapabilities capabilities;
    private int destinationQpn;
    private int rateLimitKbps;
    private boolean sendQueueDraining;

    /** Makes a change of nothing. */
    public QueuePairAttributes() {}

    /**
     * Returns which attributes are set.
     *
     * @return {@link QueuePairMask} bits
     */
    public int mask() {
        return mask;
    }

    /**
     * Tells whether an attribute is set.
     *
     * @param bit a {@link QueuePairMask} bit
     * @return true when it is
     */
    public boolean has(int bit) {
        return (mask & bit) != 0;
    }

    /**
     * Takes over what is set in others; the rest stays as it is.
     *
     * @param others what to take
     * @return this
     */
    public QueuePairAttributes set(QueuePairAttributes others) {
        state = others.has(QueuePairMask.STATE) ? others.state : state;
        currentState = others.has(QueuePairMask.CUR_STATE) ? others.currentState : currentState;
        notifyWhenDrained =
                others.has(QueuePairMask.EN_SQD_ASYNC_NOTIFY) ? others.notifyWhenDrained : notifyWhenDrained;
        accessFlags = others.has(QueuePairMask.ACCESS_FLAGS) ? others.accessFlags : accessFlags;
        pkeyIndex = others.has(QueuePairMask.PKEY_INDEX) ? others.pkeyIndex : pkeyIndex;
        portNumber = others.has(QueuePairMask.PORT) ? others.portNumber : portNumber;
        qkey = others.has(QueuePairMask.QKEY) ? others.qkey : qkey;
        addressVector = others.has(QueuePairMask.AV) ? others.addressVector : addressVector;
        pathMtu = others.has(QueuePairMask.PATH_MTU) ? others.pathMtu : pathMtu;
        timeout = others.has(QueuePairMask.TIMEOUT) ? others.timeout : timeout;
        retryCount = others.has(QueuePairMask.RETRY_CNT) ? others.retryCount : retryCount;
        rnrRetry = others.has(QueuePairMask.RNR_RETRY) ? others.rnrRetry : rnrRetry;
        receivePsn = others.has(QueuePairMask.RQ_PSN) ? others.receivePsn : receivePsn;
        maxReadAtomic = others.has(QueuePairMask.MAX_QP_RD_ATOMIC) ? others.maxReadAtomic : maxReadAtomic;
        alternatePath = others.has(QueuePairMask.ALT_PATH) ? others.alternatePath : alternatePath;
        minRnrTimer = others.has(QueuePairMask.MIN_RNR_TIMER) ? others.minRnrTimer : minRnrTimer;
        sendPsn = others.has(QueuePairMask.SQ_PSN) ? others.sendPsn : sendPsn;
        maxDestReadAtomic = others.has(QueuePairMask.MAX_DEST_RD_ATOMIC) ? others.maxDestReadAtomic : maxDestReadAtomic;
        migrationState = others.has(QueuePairMask.PATH_MIG_STATE) ? others.migrationState : migrationState;
        capabilities = others.has(QueuePairMask.CAP) ? others.capabilities : capabilities;
        destinationQpn = others.has(QueuePairMask.DEST_QPN) ? others.destinationQpn : destinationQpn;
        rateLimitKbps = others.has(QueuePairMask.RATE_LIMIT) ? others.rateLimitKbps : rateLimitKbps;
        mask |= others.mask;
        return this;
    }

    /**
     * Refuses values that the fields of the C struct or of packets cannot hold, which would be cut off silently.
     *
     * @param device the device's name, for the message
     * @throws RdmaVerbsException for the first one, with its range
     */
    public void requireEncodable(String device) {
        AttributeRanges.check(this, device);
    }

    private QueuePairAttributes mark(int bit) {
        mask |= bit;
        return this;
    }

    /**
     * {@return this, with the state to go to}
     *
     * @param value the state
     */
    public QueuePairAttributes state(QueuePairState value) {
        state = value;
        return mark(QueuePairMask.STATE);
    }

    /** {@return the state to go to} */
    public QueuePairState state() {
        return state;
    }

    /**
     * {@return this, with the state the queue pair is believed to be in, for a step out of SQE or SQD that software has not seen}
     *
     * @param value the state, or the change fails
     */
    public QueuePairAttributes currentState(QueuePairState value) {
        currentState = value;
        return mark(QueuePairMask.CUR_STATE);
    }

    /** {@return the state the queue pair is believed to be in, for a step out of SQE or SQD that software has not seen} */
    public QueuePairState currentState() {
        return currentState;
    }

    /**
     * {@return this, with whether a step to SQD ends in {@link AsyncEventType#SQ_DRAINED}}
     *
     * @param value true for the event
     */
    public QueuePairAttributes notifyWhenDrained(boolean value) {
        notifyWhenDrained = value;
        return mark(QueuePairMask.EN_SQD_ASYNC_NOTIFY);
    }

    /** {@return whether a step to SQD ends in {@link AsyncEventType#SQ_DRAINED}} */
    public boolean notifyWhenDrained() {
        return notifyWhenDrained;
    }

    /**
     * {@return this, with what a peer may do through this queue pair}
     *
     * @param value {@link AccessFlag} bits
     */
    public QueuePairAttributes accessFlags(int value) {
        accessFlags = value;
        return mark(QueuePairMask.ACCESS_FLAGS);
    }

    /** {@return what a peer may do through this queue pair} */
    public int accessFlags() {
        return accessFlags;
    }

    /**
     * {@return this, with the partition}
     *
     * @param value index into the port's partition key table, 0 by default
     */
    public QueuePairAttributes pkeyIndex(int value) {
        pkeyIndex = value;
        return mark(QueuePairMask.PKEY_INDEX);
    }

    /** {@return the partition} */
    public int pkeyIndex() {
        return pkeyIndex;
    }

    /**
     * {@return this, with the port}
     *
     * @param value from 1
     */
    public QueuePairAttributes portNumber(int value) {
        portNumber = value;
        return mark(QueuePairMask.PORT);
    }

    /** {@return the port} */
    public int portNumber() {
        return portNumber;
    }

    /**
     * {@return this, with the key a datagram must carry}
     *
     * @param value with the top bit set in a send, the sender's own key goes out
     */
    public QueuePairAttributes qkey(int value) {
        qkey = value;
        return mark(QueuePairMask.QKEY);
    }

    /** {@return the key a datagram must carry} */
    public int qkey() {
        return qkey;
    }

    /**
     * {@return this, with the way to the connected peer}
     *
     * @param value the way
     */
    public QueuePairAttributes addressVector(AddressHandleAttributes value) {
        addressVector = value;
        return mark(QueuePairMask.AV);
    }

    /** {@return the way to the connected peer} */
    public @Nullable AddressHandleAttributes addressVector() {
        return addressVector;
    }

    /**
     * {@return this, with the payload of one packet}
     *
     * @param value the same at both ends
     */
    public QueuePairAttributes pathMtu(PathMtu value) {
        pathMtu = value;
        return mark(QueuePairMask.PATH_MTU);
    }

    /** {@return the payload of one packet} */
    public PathMtu pathMtu() {
        return pathMtu;
    }

    /**
     * {@return this, with the acknowledge time-out}
     *
     * @param value an exponent: 4.096 us x 2^timeout, 1 to 31; 0 is infinite
     */
    public QueuePairAttributes timeout(int value) {
        timeout = value;
        return mark(QueuePairMask.TIMEOUT);
    }

    /** {@return the acknowledge time-out} */
    public int timeout() {
        return timeout;
    }

    /**
     * {@return this, with how often to try again after a time-out or a sequence error}
     *
     * @param value 0 to 7
     */
    public QueuePairAttributes retryCount(int value) {
        retryCount = value;
        return mark(QueuePairMask.RETRY_CNT);
    }

    /** {@return how often to try again after a time-out or a sequence error} */
    public int retryCount() {
        return retryCount;
    }

    /**
     * {@return this, with how often to try again after the peer had no receive posted}
     *
     * @param value 0 to 6, or {@link #RNR_RETRY_INFINITE}
     */
    public QueuePairAttributes rnrRetry(int value) {
        rnrRetry = value;
        return mark(QueuePairMask.RNR_RETRY);
    }

    /** {@return how often to try again after the peer had no receive posted} */
    public int rnrRetry() {
        return rnrRetry;
    }

    /**
     * {@return this, with the first packet sequence number expected}
     *
     * @param value 24 bits
     */
    public QueuePairAttributes receivePsn(int value) {
        receivePsn = value;
        return mark(QueuePairMask.RQ_PSN);
    }

    /** {@return the first packet sequence number expected} */
    public int receivePsn() {
        return receivePsn;
    }

    /**
     * {@return this, with READs and atomics outstanding as initiator}
     *
     * @param value not over what the peer answers at a time
     */
    public QueuePairAttributes maxReadAtomic(int value) {
        maxReadAtomic = value;
        return mark(QueuePairMask.MAX_QP_RD_ATOMIC);
    }

    /** {@return READs and atomics outstanding as initiator} */
    public int maxReadAtomic() {
        return maxReadAtomic;
    }

    /**
     * {@return this, with the way that a connection may move to}
     *
     * @param value the way
     */
    public QueuePairAttributes alternatePath(AlternatePath value) {
        alternatePath = value;
        return mark(QueuePairMask.ALT_PATH);
    }

    /** {@return the way that a connection may move to} */
    public @Nullable AlternatePath alternatePath() {
        return alternatePath;
    }

    /**
     * {@return this, with how long a peer waits when no receive is posted here}
     *
     * @param value a code, 0 to 31: 12 is 0.64 ms, 31 is 491 ms, 0 is 655 ms
     */
    public QueuePairAttributes minRnrTimer(int value) {
        minRnrTimer = value;
        return mark(QueuePairMask.MIN_RNR_TIMER);
    }

    /** {@return how long a peer waits when no receive is posted here} */
    public int minRnrTimer() {
        return minRnrTimer;
    }

    /**
     * {@return this, with the first packet sequence number sent}
     *
     * @param value 24 bits
     */
    public QueuePairAttributes sendPsn(int value) {
        sendPsn = value;
        return mark(QueuePairMask.SQ_PSN);
    }

    /** {@return the first packet sequence number sent} */
    public int sendPsn() {
        return sendPsn;
    }

    /**
     * {@return this, with READs and atomics answered at a time}
     *
     * @param value not under what the peer has outstanding
     */
    public QueuePairAttributes maxDestReadAtomic(int value) {
        maxDestReadAtomic = value;
        return mark(QueuePairMask.MAX_DEST_RD_ATOMIC);
    }

    /** {@return READs and atomics answered at a time} */
    public int maxDestReadAtomic() {
        return maxDestReadAtomic;
    }

    /**
     * {@return this, with the state of path migration}
     *
     * @param value REARM to use the alternate path, MIGRATED to move to it now
     */
    public QueuePairAttributes migrationState(PathMigrationState value) {
        migrationState = value;
        return mark(QueuePairMask.PATH_MIG_STATE);
    }

    /** {@return the state of path migration} */
    public PathMigrationState migrationState() {
        return migrationState;
    }

    /**
     * {@return this, with the sizes of the queues; few devices can change them}
     *
     * @param value the sizes
     */
    public QueuePairAttributes capabilities(QueuePairCapabilities value) {
        capabilities = value;
        return mark(QueuePairMask.CAP);
    }

    /** {@return the sizes of the queues; few devices can change them} */
    public @Nullable QueuePairCapabilities capabilities() {
        return capabilities;
    }

    /**
     * {@return this, with the connected peer's queue pair}
     *
     * @param value 24 bits
     */
    public QueuePairAttributes destinationQpn(int value) {
        destinationQpn = value;
        return mark(QueuePairMask.DEST_QPN);
    }

    /** {@return the connected peer's queue pair} */
    public int destinationQpn() {
        return destinationQpn;
    }

    /**
     * {@return this, with the rate of a packet pacing device}
     *
     * @param value kilobits a second, 0 for none
     */
    public QueuePairAttributes rateLimitKbps(int value) {
        rateLimitKbps = value;
        return mark(QueuePairMask.RATE_LIMIT);
    }

    /** {@return the rate of a packet pacing device} */
    public int rateLimitKbps() {
        return rateLimitKbps;
    }

    /**
     * Notes that the send queue of a queue pair in SQD is not empty yet; called by providers, never changed by users.
     *
     * @param value whether it is
     * @return this
     */
    public QueuePairAttributes sendQueueDraining(boolean value) {
        sendQueueDraining = value;
        return this;
    }

    /** {@return whether a send queue in SQD is not empty yet; answered by a query} */
    public boolean sendQueueDraining() {
        return sendQueueDraining;
    }
}
