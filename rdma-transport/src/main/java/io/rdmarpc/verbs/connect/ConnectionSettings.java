package io.rdmarpc.verbs.connect;

import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.AddressHandleAttributes;
import io.rdmarpc.verbs.attributes.PathMtu;
import io.rdmarpc.verbs.attributes.QueuePairAttributes;
import java.util.Set;

/**
 * The settings of a connected queue pair. The two ends may have different settings; they negotiate reads and path MTU.
 * Start from {@link #DEFAULTS}. The device checks the values when the queue pair is modified. Immutable.
 *
 * @param access the rights of the peer on the queue pair; the rights of each memory region apply too
 * @param pathMtu maximum payload of a packet; the smaller value of both ends is used
 * @param reads limits of outstanding READs and atomics
 * @param retries timeouts and retries
 * @param path the path of the packets
 * @param firstPsn the first packet sequence number, 24 bits, or {@link #RANDOM_PSN}
 */
public record ConnectionSettings(
        Set<AccessFlag> access, PathMtu pathMtu, Reads reads, Retries retries, Path path, int firstPsn) {

    /**
     * Selects a random first packet sequence number, so that late packets of an earlier connection are not accepted.
     */
    public static final int RANDOM_PSN = -1;

    /**
     * The defaults. The peer has no access, and the port limits the path MTU. Each direction may have 16 READs and
     * atomics. The timeout is 67 ms with 7 retries. A receiver that is not ready causes 6 retries, each after 0.64 ms.
     */
    public static final ConnectionSettings DEFAULTS = new ConnectionSettings(
            Set.of(),
            PathMtu.MTU_4096,
            new Reads(16, 16),
            new Retries(14, 7, 6, 12),
            new Path(0, 0, 0, AddressHandleAttributes.DEFAULT_HOP_LIMIT),
            RANDOM_PSN);

    /**
     * Limits of outstanding READs and atomics. The limits of both devices may lower them.
     *
     * @param asInitiator maximum number that this end has outstanding; 0 for none
     * @param asResponder maximum number that this end serves at a time; 0 for none
     */
    public record Reads(int asInitiator, int asResponder) {}

    /**
     * Timeouts and retries of a reliable connection. A UC queue pair ignores them.
     *
     * @param timeout acknowledge timeout as an exponent: 4.096 µs x 2^timeout, 1 to 31; 0 is infinite
     * @param retryCount number of retries after a timeout or a sequence error, 0 to 7
     * @param rnrRetry number of retries if the peer has no receive posted, 0 to 6, or
     *     {@link QueuePairAttributes#RNR_RETRY_INFINITE}
     * @param minRnrTimer delay before the peer retries if no receive is posted on this side: a code, 0 to 31; 12 is
     *     0.64 ms
     */
    public record Retries(int timeout, int retryCount, int rnrRetry, int minRnrTimer) {}

    /**
     * The path of the packets.
     *
     * @param pkeyIndex index into the port's partition key table
     * @param serviceLevel the service level, 0 to 15; 0 to 7 for RoCE
     * @param trafficClass the IP traffic class (DSCP and ECN)
     * @param hopLimit maximum number of routers on the path of a packet
     */
    public record Path(int pkeyIndex, int serviceLevel, int trafficClass, int hopLimit) {}

    /**
     * Copies the access flags.
     *
     * @param access the rights of the peer
     * @param pathMtu maximum payload of a packet
     * @param reads limits of outstanding READs and atomics
     * @param retries timeouts and retries
     * @param path the path of the packets
     * @param firstPsn the first packet sequence number
     */
    public ConnectionSettings {
        access = Set.copyOf(access);
    }

    /**
     * Sets the rights of the peer.
     *
     * @param flags of {@link AccessFlag#REMOTE_READ}, {@link AccessFlag#REMOTE_WRITE} and
     *     {@link AccessFlag#REMOTE_ATOMIC}
     * @return the changed settings
     */
    public ConnectionSettings withAccess(AccessFlag... flags) {
        return new ConnectionSettings(Set.of(flags), pathMtu, reads, retries, path, firstPsn);
    }

    /**
     * Sets the maximum payload of a packet.
     *
     * @param mtu the maximum path MTU of this end
     * @return the changed settings
     */
    public ConnectionSettings withPathMtu(PathMtu mtu) {
        return new ConnectionSettings(access, mtu, reads, retries, path, firstPsn);
    }

    /**
     * Sets the limits of outstanding READs and atomics.
     *
     * @param asInitiator maximum number that this end has outstanding
     * @param asResponder maximum number that this end serves at a time
     * @return the changed settings
     */
    public ConnectionSettings withReads(int asInitiator, int asResponder) {
        return new ConnectionSettings(access, pathMtu, new Reads(asInitiator, asResponder), retries, path, firstPsn);
    }

    /**
     * Sets timeout and retries.
     *
     * @param timeout acknowledge timeout as an exponent
     * @param retryCount number of retries after a timeout
     * @param rnrRetry number of retries if the peer has no receive posted
     * @return the changed settings
     */
    public ConnectionSettings withRetries(int timeout, int retryCount, int rnrRetry) {
        return withRetries(new Retries(timeout, retryCount, rnrRetry, retries.minRnrTimer()));
    }

    /**
     * Sets timeouts, retries and the RNR delay of the peer.
     *
     * @param changed the new values
     * @return the changed settings
     */
    public ConnectionSettings withRetries(Retries changed) {
        return new ConnectionSettings(access, pathMtu, reads, changed, path, firstPsn);
    }

    /**
     * Sets the path of the packets.
     *
     * @param changed the new values
     * @return the changed settings
     */
    public ConnectionSettings withPath(Path changed) {
        return new ConnectionSettings(access, pathMtu, reads, retries, changed, firstPsn);
    }

    /**
     * Sets the first packet sequence number. Use 0 for peers that do not exchange one.
     *
     * @param psn 24 bits, or {@link #RANDOM_PSN}
     * @return the changed settings
     */
    public ConnectionSettings withFirstPsn(int psn) {
        return new ConnectionSettings(access, pathMtu, reads, retries, path, psn);
    }
}
