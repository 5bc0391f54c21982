package io.rdmarpc.verbs.connect;

import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.AddressHandleAttributes;
import io.rdmarpc.verbs.attributes.PathMtu;
import io.rdmarpc.verbs.attributes.QueuePairAttributes;
import java.util.Set;

/**
 * How a connected queue pair behaves. Both ends may differ but for what they negotiate: reads and path MTU. Start from
 * {@link #DEFAULTS}; the device checks the values when the queue pair is changed. Immutable.
 *
 * @param access what the peer may do through the queue pair, besides the rights of each memory region
 * @param pathMtu largest payload of a packet; the smaller of both ends' is used
 * @param reads READs and atomics on their way
 * @param retries how long to try
 * @param path how packets travel
 * @param firstPsn the packet sequence number to start with, 24 bits, or {@link #RANDOM_PSN}
 */
public record ConnectionSettings(
        Set<AccessFlag> access, PathMtu pathMtu, Reads reads, Retries retries, Path path, int firstPsn) {

    /** Start with a random packet sequence number, so that late packets of an earlier connection do not fit. */
    public static final int RANDOM_PSN = -1;

    /**
     * No access for the peer, the port's path MTU, 16 READs either way, 67 ms time-out with 7 retries, 6 retries of 0.64
     * ms without a receive.
     */
    public static final ConnectionSettings DEFAULTS = new ConnectionSettings(
            Set.of(),
            PathMtu.MTU_4096,
            new Reads(16, 16),
            new Retries(14, 7, 6, 12),
            new Path(0, 0, 0, AddressHandleAttributes.DEFAULT_HOP_LIMIT),
            RANDOM_PSN);

    /**
     * READs and atomics on their way; each is lowered to what both devices can.
     *
     * @param asInitiator how many this end wants to have outstanding; 0 for none
     * @param asResponder how many this end answers at a time; 0 for none
     */
    public record Reads(int asInitiator, int asResponder) {}

    /**
     * How long a reliable connection tries. One of type UC does not.
     *
     * @param timeout acknowledge time-out as an exponent: 4.096 us x 2^timeout, 1 to 31; 0 is infinite
     * @param retryCount retries after a time-out or a sequence error, 0 to 7
     * @param rnrRetry retries when the peer has no receive posted, 0 to 6, or
     *     {@link QueuePairAttributes#RNR_RETRY_INFINITE}
     * @param minRnrTimer how long the peer waits when no receive is posted here: a code, 0 to 31; 12 is 0.64 ms
     */
    public record Retries(int timeout, int retryCount, int rnrRetry, int minRnrTimer) {}

    /**
     * How packets travel.
     *
     * @param pkeyIndex index into the port's partition key table
     * @param serviceLevel the service level, 0 to 15; 0 to 7 for RoCE
     * @param trafficClass the IP traffic class (DSCP and ECN)
     * @param hopLimit how many routers a packet may pass
     */
    public record Path(int pkeyIndex, int serviceLevel, int trafficClass, int hopLimit) {}

    /**
     * Copies the access flags.
     *
     * @param access what the peer may do
     * @param pathMtu largest payload of a packet
     * @param reads READs and atomics
     * @param retries how long to try
     * @param path how packets travel
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
        return new ConnectionSettings(Set.of(flags), pathMtu, reads, retries, path, firstPsn);
    }

    /**
     * Changes the largest payload of a packet.
     *
     * @param mtu the most this end wants
     * @return the changed settings
     */
    public ConnectionSettings withPathMtu(PathMtu mtu) {
        return new ConnectionSettings(access, mtu, reads, retries, path, firstPsn);
    }

    /**
     * Changes how many READs and atomics are on their way.
     *
     * @param asInitiator outstanding at this end
     * @param asResponder answered by this end
     * @return the changed settings
     */
    public ConnectionSettings withReads(int asInitiator, int asResponder) {
        return new ConnectionSettings(access, pathMtu, new Reads(asInitiator, asResponder), retries, path, firstPsn);
    }

    /**
     * Changes how long the connection tries.
     *
     * @param timeout acknowledge time-out as an exponent
     * @param retryCount retries after a time-out
     * @param rnrRetry retries when the peer has no receive posted
     * @return the changed settings
     */
    public ConnectionSettings withRetries(int timeout, int retryCount, int rnrRetry) {
        return withRetries(new Retries(timeout, retryCount, rnrRetry, retries.minRnrTimer()));
    }

    /**
     * Changes how long the connection tries, and how long the peer waits for a receive.
     *
     * @param changed the new values
     * @return the changed settings
     */
    public ConnectionSettings withRetries(Retries changed) {
        return new ConnectionSettings(access, pathMtu, reads, changed, path, firstPsn);
    }

    /**
     * Changes how packets travel.
     *
     * @param changed the new values
     * @return the changed settings
     */
    public ConnectionSettings withPath(Path changed) {
        return new ConnectionSettings(access, pathMtu, reads, retries, changed, firstPsn);
    }

    /**
     * Chooses the first packet sequence number: 0 for peers that exchange none.
     *
     * @param psn 24 bits, or {@link #RANDOM_PSN}
     * @return the changed settings
     */
    public ConnectionSettings withFirstPsn(int psn) {
        return new ConnectionSettings(access, pathMtu, reads, retries, path, psn);
    }
}
