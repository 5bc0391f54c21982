package io.rdmarpc.verbs.attributes;

import io.rdmarpc.verbs.AsyncEventType;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import org.jspecify.annotations.Nullable;

/**
 * The attributes of a queue pair to modify, or the result of a query ({@code struct ibv_qp_attr} with its mask). Each
 * setter also marks its attribute as set. A getter's value is valid if its attribute {@linkplain #has is set}. For the
 * control path; not thread-safe.
 */
public final class QueuePairAttributes {

    /**
     * The {@linkplain #rnrRetry retry count} without a limit. It is never a default: with it, the connection stalls
     * without an error if a peer posts no receives.
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

    /** Creates an object without any attribute set. */
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
     * Returns whether an attribute is set.
     *
     * @param bit a {@link QueuePairMask} bit
     * @return true if it is set
     */
    public boolean has(int bit) {
        return (mask & bit) != 0;
    }

    /**
     * Copies the attributes that are set in another object. All other attributes stay unchanged.
     *
     * @param others the attributes to copy
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
     * Rejects values that the fields of the C struct or of packets would silently truncate.
     *
     * @param device the device's name, for the message
     * @throws RdmaVerbsException for the first value that is out of range, with its range
     */
    public void requireEncodable(String device) {
        AttributeRanges.check(this, device);
    }

    private QueuePairAttributes mark(int bit) {
        mask |= bit;
        return this;
    }

    /**
     * {@return this, with the target state}
     *
     * @param value the state
     */
    public QueuePairAttributes state(QueuePairState value) {
        state = value;
        return mark(QueuePairMask.STATE);
    }

    /** {@return the target state} */
    public QueuePairState state() {
        return state;
    }

    /**
     * {@return this, with the assumed current state}
     * Needed for a transition out of SQE or SQD, because software may not have observed the entry to that state.
     *
     * @param value the state; the modification fails if it is not the current one
     */
    public QueuePairAttributes currentState(QueuePairState value) {
        currentState = value;
        return mark(QueuePairMask.CUR_STATE);
    }

    /** {@return the assumed current state, for a transition out of SQE or SQD} */
    public QueuePairState currentState() {
        return currentState;
    }

    /**
     * {@return this, with whether a transition to SQD ends with {@link AsyncEventType#SQ_DRAINED}}
     *
     * @param value true for the event
     */
    public QueuePairAttributes notifyWhenDrained(boolean value) {
        notifyWhenDrained = value;
        return mark(QueuePairMask.EN_SQD_ASYNC_NOTIFY);
    }

    /** {@return whether a transition to SQD ends with {@link AsyncEventType#SQ_DRAINED}} */
    public boolean notifyWhenDrained() {
        return notifyWhenDrained;
    }

    /**
     * {@return this, with the rights of the peer on this queue pair}
     *
     * @param value {@link AccessFlag} bits
     */
    public QueuePairAttributes accessFlags(int value) {
        accessFlags = value;
        return mark(QueuePairMask.ACCESS_FLAGS);
    }

    /** {@return the rights of the peer on this queue pair, as {@link AccessFlag} bits} */
    public int accessFlags() {
        return accessFlags;
    }

    /**
     * {@return this, with the index of the partition key}
     *
     * @param value index into the port's partition key table, 0 by default
     */
    public QueuePairAttributes pkeyIndex(int value) {
        pkeyIndex = value;
        return mark(QueuePairMask.PKEY_INDEX);
    }

    /** {@return the index of the partition key} */
    public int pkeyIndex() {
        return pkeyIndex;
    }

    /**
     * {@return this, with the local port}
     *
     * @param value from 1
     */
    public QueuePairAttributes portNumber(int value) {
        portNumber = value;
        return mark(QueuePairMask.PORT);
    }

    /** {@return the local port} */
    public int portNumber() {
        return portNumber;
    }

    /**
     * {@return this, with the QKEY that incoming datagrams must carry}
     *
     * @param value 32 bits. A send whose QKEY has the top bit set carries this QKEY instead
     */
    public QueuePairAttributes qkey(int value) {
        qkey = value;
        return mark(QueuePairMask.QKEY);
    }

    /** {@return the QKEY that incoming datagrams must carry} */
    public int qkey() {
        return qkey;
    }

    /**
     * {@return this, with the route to the connected peer}
     *
     * @param value the route
     */
    public QueuePairAttributes addressVector(AddressHandleAttributes value) {
        addressVector = value;
        return mark(QueuePairMask.AV);
    }

    /** {@return the route to the connected peer} */
    public @Nullable AddressHandleAttributes addressVector() {
        return addressVector;
    }

    /**
     * {@return this, with the path MTU}
     *
     * @param value the same at both ends
     */
    public QueuePairAttributes pathMtu(PathMtu value) {
        pathMtu = value;
        return mark(QueuePairMask.PATH_MTU);
    }

    /** {@return the path MTU} */
    public PathMtu pathMtu() {
        return pathMtu;
    }

    /**
     * {@return this, with the acknowledge timeout}
     *
     * @param value an exponent: 4.096 µs x 2^timeout, 1 to 31; 0 is infinite
     */
    public QueuePairAttributes timeout(int value) {
        timeout = value;
        return mark(QueuePairMask.TIMEOUT);
    }

    /** {@return the acknowledge timeout} */
    public int timeout() {
        return timeout;
    }

    /**
     * {@return this, with the number of retries after a timeout or a sequence error}
     *
     * @param value 0 to 7
     */
    public QueuePairAttributes retryCount(int value) {
        retryCount = value;
        return mark(QueuePairMask.RETRY_CNT);
    }

    /** {@return the number of retries after a timeout or a sequence error} */
    public int retryCount() {
        return retryCount;
    }

    /**
     * {@return this, with the number of retries if the peer has no receive posted}
     *
     * @param value 0 to 6, or {@link #RNR_RETRY_INFINITE}
     */
    public QueuePairAttributes rnrRetry(int value) {
        rnrRetry = value;
        return mark(QueuePairMask.RNR_RETRY);
    }

    /** {@return the number of retries if the peer has no receive posted} */
    public int rnrRetry() {
        return rnrRetry;
    }

    /**
     * {@return this, with the first expected packet sequence number}
     *
     * @param value 24 bits
     */
    public QueuePairAttributes receivePsn(int value) {
        receivePsn = value;
        return mark(QueuePairMask.RQ_PSN);
    }

    /** {@return the first expected packet sequence number} */
    public int receivePsn() {
        return receivePsn;
    }

    /**
     * {@return this, with the maximum number of outstanding READs and atomics as initiator}
     *
     * @param value at most the number that the peer serves at a time
     */
    public QueuePairAttributes maxReadAtomic(int value) {
        maxReadAtomic = value;
        return mark(QueuePairMask.MAX_QP_RD_ATOMIC);
    }

    /** {@return the maximum number of outstanding READs and atomics as initiator} */
    public int maxReadAtomic() {
        return maxReadAtomic;
    }

    /**
     * {@return this, with the alternate path of the connection}
     *
     * @param value the route
     */
    public QueuePairAttributes alternatePath(AlternatePath value) {
        alternatePath = value;
        return mark(QueuePairMask.ALT_PATH);
    }

    /** {@return the alternate path of the connection} */
    public @Nullable AlternatePath alternatePath() {
        return alternatePath;
    }

    /**
     * {@return this, with the delay before a peer retries if no receive is posted on this side}
     *
     * @param value a code, 0 to 31: 12 is 0.64 ms, 31 is 491 ms, 0 is 655 ms
     */
    public QueuePairAttributes minRnrTimer(int value) {
        minRnrTimer = value;
        return mark(QueuePairMask.MIN_RNR_TIMER);
    }

    /** {@return the delay before a peer retries if no receive is posted on this side, as a code} */
    public int minRnrTimer() {
        return minRnrTimer;
    }

    /**
     * {@return this, with the first packet sequence number to send}
     *
     * @param value 24 bits
     */
    public QueuePairAttributes sendPsn(int value) {
        sendPsn = value;
        return mark(QueuePairMask.SQ_PSN);
    }

    /** {@return the first packet sequence number to send} */
    public int sendPsn() {
        return sendPsn;
    }

    /**
     * {@return this, with the maximum number of READs and atomics served at a time as responder}
     *
     * @param value at least the number that the peer has outstanding
     */
    public QueuePairAttributes maxDestReadAtomic(int value) {
        maxDestReadAtomic = value;
        return mark(QueuePairMask.MAX_DEST_RD_ATOMIC);
    }

    /** {@return the maximum number of READs and atomics served at a time as responder} */
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
     * {@return this, with the sizes of the queues; few devices support changing them}
     *
     * @param value the sizes
     */
    public QueuePairAttributes capabilities(QueuePairCapabilities value) {
        capabilities = value;
        return mark(QueuePairMask.CAP);
    }

    /** {@return the sizes of the queues; few devices support changing them} */
    public @Nullable QueuePairCapabilities capabilities() {
        return capabilities;
    }

    /**
     * {@return this, with the number of the connected peer's queue pair}
     *
     * @param value 24 bits
     */
    public QueuePairAttributes destinationQpn(int value) {
        destinationQpn = value;
        return mark(QueuePairMask.DEST_QPN);
    }

    /** {@return the number of the connected peer's queue pair} */
    public int destinationQpn() {
        return destinationQpn;
    }

    /**
     * {@return this, with the rate limit of a device with packet pacing}
     *
     * @param value kilobits per second, 0 for no limit
     */
    public QueuePairAttributes rateLimitKbps(int value) {
        rateLimitKbps = value;
        return mark(QueuePairMask.RATE_LIMIT);
    }

    /** {@return the rate limit of a device with packet pacing, in kilobits per second} */
    public int rateLimitKbps() {
        return rateLimitKbps;
    }

    /**
     * Sets whether the send queue of a queue pair in SQD is still draining. For providers, in the result of a query.
     *
     * @param value true while the send queue is not empty
     * @return this
     */
    public QueuePairAttributes sendQueueDraining(boolean value) {
        sendQueueDraining = value;
        return this;
    }

    /** {@return whether the send queue of a queue pair in SQD is still draining; valid in the result of a query} */
    public boolean sendQueueDraining() {
        return sendQueueDraining;
    }
}
