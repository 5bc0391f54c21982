package io.rdmarpc.verbs.cm;

import io.rdmarpc.verbs.attributes.AccessFlag;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of a connection request or of its acceptance ({@code struct rdma_conn_param}). Each setter checks its
 * value. For the control path; not thread-safe.
 */
public final class CmParameters {

    /** Maximum private data of a request: 92 bytes of the message minus 36 bytes for the IP addresses. */
    public static final int MAX_CONNECT_DATA_BYTES = 56;

    /** Maximum private data of an acceptance. */
    public static final int MAX_ACCEPT_DATA_BYTES = 196;

    /** Maximum private data of a rejection. */
    public static final int MAX_REJECT_DATA_BYTES = 148;

    /** The connection manager and the device determine the value. */
    public static final int AUTOMATIC = -1;

    private static final int MAX_DEPTH = 255;
    private static final int MAX_RETRIES = 7;
    private static final int MAX_TIMER = 31;

    /** The default is finite, so that an error occurs if a peer never posts receives; 7 would mean no limit. */
    private static final int DEFAULT_RNR_RETRIES = 6;

    private static final int DEFAULT_DEPTH = 16;

    private byte[] privateData = {};
    private int responderResources = DEFAULT_DEPTH;
    private int initiatorDepth = DEFAULT_DEPTH;
    private boolean flowControl = true;
    private int retryCount = MAX_RETRIES;
    private int rnrRetryCount = DEFAULT_RNR_RETRIES;
    private int ackTimeout = AUTOMATIC;
    private int minRnrTimer = AUTOMATIC;
    private @Nullable Set<AccessFlag> remoteAccess;

    /** Creates the defaults: no private data, 16 READs in each direction, 7 retries, 6 RNR retries. */
    public CmParameters() {}

    private static int check(String name, int value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(name + " = " + value + ": valid values are " + min + " to " + max);
        }
        return value;
    }

    /**
     * Sets the private data of the request or the acceptance. The message pads it with zeros: include a length if the
     * data may end with zeros.
     *
     * @param value up to {@link #MAX_CONNECT_DATA_BYTES} to connect, {@link #MAX_ACCEPT_DATA_BYTES} to accept
     * @return this
     */
    public CmParameters privateData(byte[] value) {
        check("length of privateData", value.length, 0, MAX_ACCEPT_DATA_BYTES);
        privateData = value.clone();
        return this;
    }

    /**
     * Returns the private data.
     *
     * @return a copy
     */
    public byte[] privateData() {
        return privateData.clone();
    }

    /**
     * Sets the maximum number of the peer's READs and atomics to serve at a time. The limits of the device and the
     * number that the peer has outstanding may lower it.
     *
     * @param value 0 to 255
     * @return this
     */
    public CmParameters responderResources(int value) {
        responderResources = check("responderResources", value, 0, MAX_DEPTH);
        return this;
    }

    /**
     * Returns the maximum number of the peer's READs and atomics to serve at a time.
     *
     * @return 0 to 255
     */
    public int responderResources() {
        return responderResources;
    }

    /**
     * Sets the maximum number of outstanding READs and atomics. The limits of the device and of the peer may lower it.
     *
     * @param value 0 to 255
     * @return this
     */
    public CmParameters initiatorDepth(int value) {
        initiatorDepth = check("initiatorDepth", value, 0, MAX_DEPTH);
        return this;
    }

    /**
     * Returns the maximum number of outstanding READs and atomics.
     *
     * @return 0 to 255
     */
    public int initiatorDepth() {
        return initiatorDepth;
    }

    /**
     * Sets whether the device reports its number of posted receives to the peer, if it supports that (IBA end-to-end
     * flow control).
     *
     * @param value true is the default
     * @return this
     */
    public CmParameters flowControl(boolean value) {
        flowControl = value;
        return this;
    }

    /**
     * Returns whether the device reports its number of posted receives to the peer.
     *
     * @return true for flow control
     */
    public boolean flowControl() {
        return flowControl;
    }

    /**
     * Sets the number of retries of both sides after a timeout or a sequence error. An acceptance ignores it.
     *
     * @param value 0 to 7
     * @return this
     */
    public CmParameters retryCount(int value) {
        retryCount = check("retryCount", value, 0, MAX_RETRIES);
        return this;
    }

    /**
     * Returns the number of retries after a timeout or a sequence error.
     *
     * @return 0 to 7
     */
    public int retryCount() {
        return retryCount;
    }

    /**
     * Sets how often the <em>peer</em> retries a message for which this side has no receive posted. The value that the
     * peer sets determines the retries of this side.
     *
     * @param value 0 to 7; 7 means no limit
     * @return this
     */
    public CmParameters rnrRetryCount(int value) {
        rnrRetryCount = check("rnrRetryCount", value, 0, MAX_RETRIES);
        return this;
    }

    /**
     * Returns how often the peer retries a message for which this side has no receive posted.
     *
     * @return 0 to 7; 7 means no limit
     */
    public int rnrRetryCount() {
        return rnrRetryCount;
    }

    /**
     * Sets the acknowledge timeout of this side as an exponent: 4.096 µs x 2^timeout.
     *
     * @param value 1 to 31, 0 is infinite, {@link #AUTOMATIC} derives it from the path
     * @return this
     */
    public CmParameters ackTimeout(int value) {
        ackTimeout = check("ackTimeout", value, AUTOMATIC, MAX_TIMER);
        return this;
    }

    /**
     * Returns the acknowledge timeout of this side.
     *
     * @return the exponent or {@link #AUTOMATIC}
     */
    public int ackTimeout() {
        return ackTimeout;
    }

    /**
     * Sets the delay before the peer retries a message for which this side has no receive posted.
     *
     * @param value the code of the delay, 0 to 31, or {@link #AUTOMATIC}
     * @return this
     */
    public CmParameters minRnrTimer(int value) {
        minRnrTimer = check("minRnrTimer", value, AUTOMATIC, MAX_TIMER);
        return this;
    }

    /**
     * Returns the delay before the peer retries a message for which this side has no receive posted.
     *
     * @return the code of the delay or {@link #AUTOMATIC}
     */
    public int minRnrTimer() {
        return minRnrTimer;
    }

    /**
     * Sets the rights of the peer on the queue pair; the rights of each memory region apply too. The default is that of
     * every librdmacm program: WRITE, and with responder resources also READ and atomics.
     *
     * @param value of {@link AccessFlag#REMOTE_READ}, {@link AccessFlag#REMOTE_WRITE} and
     *     {@link AccessFlag#REMOTE_ATOMIC}; empty for SEND only
     * @return this
     */
    public CmParameters remoteAccess(Set<AccessFlag> value) {
        Set<AccessFlag> remote = EnumSet.of(AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_ATOMIC);
        if (!remote.containsAll(value)) {
            throw new IllegalArgumentException("remoteAccess = " + value + ": valid flags are " + remote);
        }
        remoteAccess = Set.copyOf(value);
        return this;
    }

    /**
     * Returns the rights of the peer on the queue pair.
     *
     * @return the flags, null if they were not set
     */
    public @Nullable Set<AccessFlag> remoteAccess() {
        return remoteAccess;
    }
}
