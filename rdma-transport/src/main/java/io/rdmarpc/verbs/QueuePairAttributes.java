package io.rdmarpc.verbs;

import org.jspecify.annotations.Nullable;

/**
 * What to change in a queue pair ({@code struct ibv_qp_attr} with its mask): each setter also marks its attribute as
 * set. For the control path; one thread.
 */
public final class QueuePairAttributes {

    /** {@code IBV_QP_STATE}. */
    public static final int STATE = 1;

    /** {@code IBV_QP_ACCESS_FLAGS}. */
    public static final int ACCESS_FLAGS = 1 << 3;

    /** {@code IBV_QP_PKEY_INDEX}. */
    public static final int PKEY_INDEX = 1 << 4;

    /** {@code IBV_QP_PORT}. */
    public static final int PORT = 1 << 5;

    /** {@code IBV_QP_QKEY}. */
    public static final int QKEY = 1 << 6;

    /** {@code IBV_QP_AV}. */
    public static final int AV = 1 << 7;

    /** {@code IBV_QP_PATH_MTU}. */
    public static final int PATH_MTU = 1 << 8;

    /** {@code IBV_QP_TIMEOUT}. */
    public static final int TIMEOUT = 1 << 9;

    /** {@code IBV_QP_RETRY_CNT}. */
    public static final int RETRY_CNT = 1 << 10;

    /** {@code IBV_QP_RNR_RETRY}. */
    public static final int RNR_RETRY = 1 << 11;

    /** {@code IBV_QP_RQ_PSN}. */
    public static final int RQ_PSN = 1 << 12;

    /** {@code IBV_QP_MAX_QP_RD_ATOMIC}. */
    public static final int MAX_QP_RD_ATOMIC = 1 << 13;

    /** {@code IBV_QP_MIN_RNR_TIMER}. */
    public static final int MIN_RNR_TIMER = 1 << 15;

    /** {@code IBV_QP_SQ_PSN}. */
    public static final int SQ_PSN = 1 << 16;

    /** {@code IBV_QP_MAX_DEST_RD_ATOMIC}. */
    public static final int MAX_DEST_RD_ATOMIC = 1 << 17;

    /** {@code IBV_QP_DEST_QPN}. */
    public static final int DEST_QPN = 1 << 20;

    private int mask;
    private QueuePairState state = QueuePairState.RESET;
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
    private int minRnrTimer;
    private int sendPsn;
    private int maxDestReadAtomic;
    private int destinationQpn;

    /** Makes a change of nothing. */
    public QueuePairAttributes() {}

    /**
     * Returns which attributes are set.
     *
     * @return the {@code IBV_QP_*} bits
     */
    public int mask() {
        return mask;
    }

    /**
     * Tells whether an attribute is set.
     *
     * @param bit one of the constants of this class
     * @return true when it is
     */
    public boolean has(int bit) {
        return (mask & bit) != 0;
    }

    /**
     * Sets the state to go to.
     *
     * @param value the state to go to
     * @return this
     */
    public QueuePairAttributes state(QueuePairState value) {
        state = value;
        mask |= STATE;
        return this;
    }

    /**
     * Returns the state to go to.
     *
     * @return the value; meaningful when {@link #STATE} is set
     */
    public QueuePairState state() {
        return state;
    }

    /**
     * Sets {@link AccessFlag} bits a peer may use.
     *
     * @param value {@link AccessFlag} bits a peer may use
     * @return this
     */
    public QueuePairAttributes accessFlags(int value) {
        accessFlags = value;
        mask |= ACCESS_FLAGS;
        return this;
    }

    /**
     * Returns {@link AccessFlag} bits a peer may use.
     *
     * @return the value; meaningful when {@link #ACCESS_FLAGS} is set
     */
    public int accessFlags() {
        return accessFlags;
    }

    /**
     * Sets index into the partition key table, 0 by default.
     *
     * @param value index into the partition key table, 0 by default
     * @return this
     */
    public QueuePairAttributes pkeyIndex(int value) {
        pkeyIndex = value;
        mask |= PKEY_INDEX;
        return this;
    }

    /**
     * Returns index into the partition key table, 0 by default.
     *
     * @return the value; meaningful when {@link #PKEY_INDEX} is set
     */
    public int pkeyIndex() {
        return pkeyIndex;
    }

    /**
     * Sets the port, from 1.
     *
     * @param value the port, from 1
     * @return this
     */
    public QueuePairAttributes portNumber(int value) {
        portNumber = value;
        mask |= PORT;
        return this;
    }

    /**
     * Returns the port, from 1.
     *
     * @return the value; meaningful when {@link #PORT} is set
     */
    public int portNumber() {
        return portNumber;
    }

    /**
     * Sets the key a datagram must carry; with the top bit set the sender's own key goes out.
     *
     * @param value the key a datagram must carry; with the top bit set the sender's own key goes out
     * @return this
     */
    public QueuePairAttributes qkey(int value) {
        qkey = value;
        mask |= QKEY;
        return this;
    }

    /**
     * Returns the key a datagram must carry; with the top bit set the sender's own key goes out.
     *
     * @return the value; meaningful when {@link #QKEY} is set
     */
    public int qkey() {
        return qkey;
    }

    /**
     * Sets the way to the connected peer.
     *
     * @param value the way to the connected peer
     * @return this
     */
    public QueuePairAttributes addressVector(AddressHandleAttributes value) {
        addressVector = value;
        mask |= AV;
        return this;
    }

    /**
     * Returns the way to the connected peer.
     *
     * @return the value; meaningful when {@link #AV} is set
     */
    public @Nullable AddressHandleAttributes addressVector() {
        return addressVector;
    }

    /**
     * Sets payload bytes of one packet.
     *
     * @param value payload bytes of one packet
     * @return this
     */
    public QueuePairAttributes pathMtu(PathMtu value) {
        pathMtu = value;
        mask |= PATH_MTU;
        return this;
    }

    /**
     * Returns payload bytes of one packet.
     *
     * @return the value; meaningful when {@link #PATH_MTU} is set
     */
    public PathMtu pathMtu() {
        return pathMtu;
    }

    /**
     * Sets acknowledge time-out as an exponent: 4.096 us x 2^timeout, 0 to 31, 0 is infinite.
     *
     * @param value acknowledge time-out as an exponent: 4.096 us x 2^timeout, 0 to 31, 0 is infinite
     * @return this
     */
    public QueuePairAttributes timeout(int value) {
        timeout = value;
        mask |= TIMEOUT;
        return this;
    }

    /**
     * Returns acknowledge time-out as an exponent: 4.096 us x 2^timeout, 0 to 31, 0 is infinite.
     *
     * @return the value; meaningful when {@link #TIMEOUT} is set
     */
    public int timeout() {
        return timeout;
    }

    /**
     * Sets retries after a time-out or a sequence error, 0 to 7.
     *
     * @param value retries after a time-out or a sequence error, 0 to 7
     * @return this
     */
    public QueuePairAttributes retryCount(int value) {
        retryCount = value;
        mask |= RETRY_CNT;
        return this;
    }

    /**
     * Returns retries after a time-out or a sequence error, 0 to 7.
     *
     * @return the value; meaningful when {@link #RETRY_CNT} is set
     */
    public int retryCount() {
        return retryCount;
    }

    /**
     * Sets retries after receiver-not-ready, 0 to 7, 7 is infinite.
     *
     * @param value retries after receiver-not-ready, 0 to 7, 7 is infinite
     * @return this
     */
    public QueuePairAttributes rnrRetry(int value) {
        rnrRetry = value;
        mask |= RNR_RETRY;
        return this;
    }

    /**
     * Returns retries after receiver-not-ready, 0 to 7, 7 is infinite.
     *
     * @return the value; meaningful when {@link #RNR_RETRY} is set
     */
    public int rnrRetry() {
        return rnrRetry;
    }

    /**
     * Sets first packet sequence number expected, 24 bits.
     *
     * @param value first packet sequence number expected, 24 bits
     * @return this
     */
    public QueuePairAttributes receivePsn(int value) {
        receivePsn = value;
        mask |= RQ_PSN;
        return this;
    }

    /**
     * Returns first packet sequence number expected, 24 bits.
     *
     * @return the value; meaningful when {@link #RQ_PSN} is set
     */
    public int receivePsn() {
        return receivePsn;
    }

    /**
     * Sets READs and atomics outstanding as initiator.
     *
     * @param value READs and atomics outstanding as initiator
     * @return this
     */
    public QueuePairAttributes maxReadAtomic(int value) {
        maxReadAtomic = value;
        mask |= MAX_QP_RD_ATOMIC;
        return this;
    }

    /**
     * Returns READs and atomics outstanding as initiator.
     *
     * @return the value; meaningful when {@link #MAX_QP_RD_ATOMIC} is set
     */
    public int maxReadAtomic() {
        return maxReadAtomic;
    }

    /**
     * Sets receiver-not-ready delay code, 0 to 31.
     *
     * @param value receiver-not-ready delay code, 0 to 31
     * @return this
     */
    public QueuePairAttributes minRnrTimer(int value) {
        minRnrTimer = value;
        mask |= MIN_RNR_TIMER;
        return this;
    }

    /**
     * Returns receiver-not-ready delay code, 0 to 31.
     *
     * @return the value; meaningful when {@link #MIN_RNR_TIMER} is set
     */
    public int minRnrTimer() {
        return minRnrTimer;
    }

    /**
     * Sets first packet sequence number sent, 24 bits.
     *
     * @param value first packet sequence number sent, 24 bits
     * @return this
     */
    public QueuePairAttributes sendPsn(int value) {
        sendPsn = value;
        mask |= SQ_PSN;
        return this;
    }

    /**
     * Returns first packet sequence number sent, 24 bits.
     *
     * @return the value; meaningful when {@link #SQ_PSN} is set
     */
    public int sendPsn() {
        return sendPsn;
    }

    /**
     * Sets READs and atomics answered at a time.
     *
     * @param value READs and atomics answered at a time
     * @return this
     */
    public QueuePairAttributes maxDestReadAtomic(int value) {
        maxDestReadAtomic = value;
        mask |= MAX_DEST_RD_ATOMIC;
        return this;
    }

    /**
     * Returns READs and atomics answered at a time.
     *
     * @return the value; meaningful when {@link #MAX_DEST_RD_ATOMIC} is set
     */
    public int maxDestReadAtomic() {
        return maxDestReadAtomic;
    }

    /**
     * Sets the connected peer's queue pair number, 24 bits.
     *
     * @param value the connected peer's queue pair number, 24 bits
     * @return this
     */
    public QueuePairAttributes destinationQpn(int value) {
        destinationQpn = value;
        mask |= DEST_QPN;
        return this;
    }

    /**
     * Returns the connected peer's queue pair number, 24 bits.
     *
     * @return the value; meaningful when {@link #DEST_QPN} is set
     */
    public int destinationQpn() {
        return destinationQpn;
    }
}
