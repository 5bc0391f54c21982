package io.rdmarpc.verbs.cm;

import io.rdmarpc.verbs.attributes.AccessFlag;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What to ask the peer for, or to grant it ({@code struct rdma_conn_param}). Each setter checks its value. For the control
 * path; one thread.
 */
public final class CmParameters {

    /** Private data of a request: 92 bytes of the message less 36 for the IP addresses. */
    public static final int MAX_CONNECT_DATA_BYTES = 56;

    /** Private data of an acceptance. */
    public static final int MAX_ACCEPT_DATA_BYTES = 196;

    /** Private data of a rejection. */
    public static final int MAX_REJECT_DATA_BYTES = 148;

    /** What the connection manager and the device make of it. */
    public static final int AUTOMATIC = -1;

    private static final int MAX_DEPTH = 255;
    private static final int MAX_RETRIES = 7;
    private static final int MAX_TIMER = 31;

    /** Finite, so that a peer that never posts receives ends in an error: 7 means for ever. */
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

    /** Starts with defaults: no private data, 16 READs each way, 7 and 6 retries. */
    public CmParameters() {}

    private static int check(String name, int value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(name + " = " + value + ": it may be " + min + " to " + max);
        }
        return value;
    }

    /**
     * Sets what the peer gets to see with the request or the acceptance. It is padded with zeros on the way: put a length
     * in it when it may end with zeros.
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
     * Returns what the peer gets to see.
     *
     * @return a copy
     */
    public byte[] privateData() {
        return privateData.clone();
    }

    /**
     * Sets how many READs and atomics of the peer to answer at a time; lowered to what the device and the peer have.
     *
     * @param value 0 to 255
     * @return this
     */
    public CmParameters responderResources(int value) {
        responderResources = check("responderResources", value, 0, MAX_DEPTH);
        return this;
    }

    /**
     * Returns how many READs and atomics of the peer to answer at a time.
     *
     * @return at most
     */
    public int responderResources() {
        return responderResources;
    }

    /**
     * Sets how many READs and atomics to have outstanding; lowered to what the device and the peer have.
     *
     * @param value 0 to 255
     * @return this
     */
    public CmParameters initiatorDepth(int value) {
        initiatorDepth = check("initiatorDepth", value, 0, MAX_DEPTH);
        return this;
    }

    /**
     * Returns how many READs and atomics to have outstanding.
     *
     * @return at most
     */
    public int initiatorDepth() {
        return initiatorDepth;
    }

    /**
     * Sets whether the device tells the peer how many receives are left, where it can.
     *
     * @param value true is the default
     * @return this
     */
    public CmParameters flowControl(boolean value) {
        flowControl = value;
        return this;
    }

    /**
     * Returns whether the device tells the peer how many receives are left.
     *
     * @return true to tell
     */
    public boolean flowControl() {
        return flowControl;
    }

    /**
     * Sets the retries after a time-out or a sequence error, of both sides; ignored when accepting.
     *
     * @param value 0 to 7
     * @return this
     */
    public CmParameters retryCount(int value) {
        retryCount = check("retryCount", value, 0, MAX_RETRIES);
        return this;
    }

    /**
     * Returns the retries after a time-out or a sequence error.
     *
     * @return 0 to 7
     */
    public int retryCount() {
        return retryCount;
    }

    /**
     * Sets how often the <em>peer</em> shall repeat a message that found no receive here; the peer's value says how often
     * this side does.
     *
     * @param value 0 to 7, 7 is for ever
     * @return this
     */
    public CmParameters rnrRetryCount(int value) {
        rnrRetryCount = check("rnrRetryCount", value, 0, MAX_RETRIES);
        return this;
    }

    /**
     * Returns how often the peer shall repeat a message that found no receive here.
     *
     * @return 0 to 7, 7 is for ever
     */
    public int rnrRetryCount() {
        return rnrRetryCount;
    }

    /**
     * Sets the acknowledge time-out of this side as an exponent: 4.096 us x 2^timeout.
     *
     * @param value 1 to 31, 0 is infinite, {@link #AUTOMATIC} follows the path
     * @return this
     */
    public CmParameters ackTimeout(int value) {
        ackTimeout = check("ackTimeout", value, AUTOMATIC, MAX_TIMER);
        return this;
    }

    /**
     * Returns the acknowledge time-out of this side.
     *
     * @return the exponent or {@link #AUTOMATIC}
     */
    public int ackTimeout() {
        return ackTimeout;
    }

    /**
     * Sets how long the peer shall wait before it repeats a message that found no receive here.
     *
     * @param value the code of the delay, 0 to 31, or {@link #AUTOMATIC}
     * @return this
     */
    public CmParameters minRnrTimer(int value) {
        minRnrTimer = check("minRnrTimer", value, AUTOMATIC, MAX_TIMER);
        return this;
    }

    /**
     * Returns how long the peer shall wait before it repeats a message that found no receive here.
     *
     * @return the code of the delay or {@link #AUTOMATIC}
     */
    public int minRnrTimer() {
        return minRnrTimer;
    }

    /**
     * Sets what the peer may do through the queue pair, if its key of a region allows it too. Unless this is set: WRITE,
     * and READ and atomics when there are responder resources, as with every program of librdmacm.
     *
     * @param value of {@link AccessFlag#REMOTE_READ}, {@link AccessFlag#REMOTE_WRITE} and
     *     {@link AccessFlag#REMOTE_ATOMIC}; empty for SEND only
     * @return this
     */
    public CmParameters remoteAccess(Set<AccessFlag> value) {
        Set<AccessFlag> remote = EnumSet.of(AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_ATOMIC);
        if (!remote.containsAll(value)) {
            throw new IllegalArgumentException("remoteAccess = " + value + ": it may have " + remote);
        }
        remoteAccess = Set.copyOf(value);
        return this;
    }

    /**
     * Returns what the peer may do through the queue pair.
     *
     * @return the flags, null when it was not set
     */
    public @Nullable Set<AccessFlag> remoteAccess() {
        return remoteAccess;
    }
}
