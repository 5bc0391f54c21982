package io.rdmarpc.verbs;

import java.util.EnumSet;
import java.util.Set;

/**
 * How a connected queue pair behaves. Both ends may differ but for what they negotiate: reads and path MTU.
 *
 * @param access what the peer may do through the queue pair, besides the rights of each memory region
 * @param pathMtu largest payload of a packet; the smaller of both ends' is used
 * @param maxReadsAsInitiator READs and atomics that this end wants to have outstanding; 0 for none
 * @param maxReadsAsResponder READs and atomics that this end answers at a time; 0 for none
 * @param timeout acknowledge time-out as an exponent: 4.096 us x 2^timeout, 1 to 31; 0 is infinite
 * @param retryCount retries after a time-out or a sequence error, 0 to 7
 * @param rnrRetry retries when the peer has no receive posted, 0 to 6, or
 *     {@link QueuePairAttributes#RNR_RETRY_INFINITE}
 * @param minRnrTimer how long the peer waits when no receive is posted here: a code, 0 to 31; 12 is 0.64 ms
 * @param pkeyIndex index into the port's partition key table
 * @param serviceLevel the service level
 * @param trafficClass the IP traffic class
 * @param hopLimit how many routers a packet may pass
 * @param firstPsn the packet sequence number to start with, 24 bits, or {@link #RANDOM_PSN}
 */
public record ConnectionSettings(
        Set<AccessFlag> access,
        PathMtu pathMtu,
        int maxReadsAsInitiator,
        int maxReadsAsResponder,
        int timeout,
        int retryCount,
        int rnrRetry,
        int minRnrTimer,
        int pkeyIndex,
        int serviceLevel,
        int trafficClass,
        int hopLimit,
        int firstPsn) {

    /** Start with a random packet sequence number, so that late packets of an earlier connection do not fit. */
    public static final int RANDOM_PSN = -1;

    /**
     * No access for the peer, the port's path MTU, 16 READs either way, 67 ms time-out with 7 retries, 6 retries of 0.64
     * ms without a receive.
     */
    public static final ConnectionSettings DEFAULTS = new ConnectionSettings(
            Set.of(),
            PathMtu.MTU_4096,
            16,
            16,
            14,
            7,
            6,
            12,
            0,
            0,
            0,
            AddressHandleAttributes.DEFAULT_HOP_LIMIT,
            RANDOM_PSN);

    /**
     * Copies the access flags.
     *
     * @param access what the peer may do
     * @param pathMtu largest payload of a packet
     * @param maxReadsAsInitiator READs and atomics outstanding
     * @param maxReadsAsResponder READs and atomics answered
     * @param timeout acknowledge time-out
     * @param retryCount retries
     * @param rnrRetry retries without a receive
     * @param minRnrTimer delay without a receive
     * @param pkeyIndex index of the partition key
     * @param serviceLevel the service level
     * @param trafficClass the IP traffic class
     * @param hopLimit how many routers
     * @param firstPsn the first packet sequence number
     */
    public ConnectionSettings {
        access = Set.copyOf(access);
    }

    /**
     * Lets the peer do more, or less.
     *
     * @param flags of {@link AccessFlag#REMOTE_READ}, {@link AccessFlag#REMOTE_WRITE} and
     *     {@link AccessFlag#REMOTE_ATOMIC}
     * @return the changed settings
     */
    public ConnectionSettings withAccess(AccessFlag... flags) {
        EnumSet<AccessFlag> granted = EnumSet.noneOf(AccessFlag.class);
        granted.addAll(Set.of(flags));
        return new ConnectionSettings(
                granted,
                pathMtu,
                maxReadsAsInitiator,
                maxReadsAsResponder,
                timeout,
                retryCount,
                rnrRetry,
                minRnrTimer,
                pkeyIndex,
                serviceLevel,
                trafficClass,
                hopLimit,
                firstPsn);
    }

    /**
     * Changes the largest payload of a packet.
     *
     * @param mtu the most this end wants
     * @return the changed settings
     */
    public ConnectionSettings withPathMtu(PathMtu mtu) {
        return new ConnectionSettings(
                access,
                mtu,
                maxReadsAsInitiator,
                maxReadsAsResponder,
                timeout,
                retryCount,
                rnrRetry,
                minRnrTimer,
                pkeyIndex,
                serviceLevel,
                trafficClass,
                hopLimit,
                firstPsn);
    }

    /**
     * Changes how many READs and atomics are on their way.
     *
     * @param asInitiator outstanding at this end
     * @param asResponder answered by this end
     * @return the changed settings
     */
    public ConnectionSettings withReads(int asInitiator, int asResponder) {
        return new ConnectionSettings(
                access,
                pathMtu,
                asInitiator,
                asResponder,
                timeout,
                retryCount,
                rnrRetry,
                minRnrTimer,
                pkeyIndex,
                serviceLevel,
                trafficClass,
                hopLimit,
                firstPsn);
    }

    /**
     * Changes how long the connection tries.
     *
     * @param timeoutExponent acknowledge time-out as an exponent
     * @param retries after a time-out
     * @param rnrRetries when the peer has no receive posted
     * @return the changed settings
     */
    public ConnectionSettings withRetries(int timeoutExponent, int retries, int rnrRetries) {
        return new ConnectionSettings(
                access,
                pathMtu,
                maxReadsAsInitiator,
                maxReadsAsResponder,
                timeoutExponent,
                retries,
                rnrRetries,
                minRnrTimer,
                pkeyIndex,
                serviceLevel,
                trafficClass,
                hopLimit,
                firstPsn);
    }

    /**
     * Chooses the first packet sequence number: 0 for peers that exchange none.
     *
     * @param psn 24 bits, or {@link #RANDOM_PSN}
     * @return the changed settings
     */
    public ConnectionSettings withFirstPsn(int psn) {
        return new ConnectionSettings(
                access,
                pathMtu,
                maxReadsAsInitiator,
                maxReadsAsResponder,
                timeout,
                retryCount,
                rnrRetry,
                minRnrTimer,
                pkeyIndex,
                serviceLevel,
                trafficClass,
                hopLimit,
                psn);
    }
}
