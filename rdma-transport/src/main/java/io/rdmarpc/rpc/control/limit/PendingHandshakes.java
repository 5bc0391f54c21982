package io.rdmarpc.rpc.control.limit;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The accepted connections that have not finished their handshake. Their number is limited, and so is the
 * {@linkplain FairShare share} of each source. A new connection is never rejected for that. The oldest connection of
 * the source with the most connections is closed instead. A client that sends at once finishes before it is the oldest,
 * however many silent ones there are.
 *
 * <p>A source is an IPv4 address, or the /64 network of an IPv6 address, because one host may use all of it. Control
 * thread only.
 */
public final class PendingHandshakes {

    private static final int NETWORK_BYTES = 8;

    private final int limit;
    private final Map<InetAddress, Source> sources = new HashMap<>();
    private int count;
    private long arrivals;

    /** An accepted connection with an unfinished handshake. */
    public interface Pending {

        /** Returns the address of the client. */
        InetAddress peerAddress();

        /** Ends the connection, so that another client can connect. */
        void evict();
    }

    /** The connections of one source by order of arrival, the oldest first. */
    private static final class Source {

        private final Map<Pending, Long> pending = new LinkedHashMap<>();

        private int count() {
            return pending.size();
        }

        private Pending oldest() {
            return pending.keySet().iterator().next();
        }

        private long oldestArrival() {
            return pending.values().iterator().next();
        }
    }

    public PendingHandshakes(int limit) {
        this.limit = limit;
    }

    /**
     * Adds a connection.
     *
     * @return the connection to close, which is still counted; null if the limits are kept
     */
    public @Nullable Pending add(Pending connection) {
        Source source = sources.computeIfAbsent(sourceOf(connection), address -> new Source());
        source.pending.put(connection, arrivals++);
        count++;
        if (count > limit) {
            return oldestOfLargest();
        }
        return source.count() > FairShare.of(limit, count - source.count()) ? source.oldest() : null;
    }

    /** Removes a connection whose handshake is complete, or that has ended. */
    public void remove(Pending connection) {
        InetAddress address = sourceOf(connection);
        Source source = sources.get(address);
        if (source != null && source.pending.remove(connection) != null) {
            count--;
            if (source.count() == 0) {
                sources.remove(address);
            }
        }
    }

    /** Returns the connection to close first if a resource runs out; null if none is pending. */
    public @Nullable Pending oldestOfLargest() {
        Source largest = null;
        for (Source source : sources.values()) {
            if (largest == null
                    || source.count() > largest.count()
                    || (source.count() == largest.count() && source.oldestArrival() < largest.oldestArrival())) {
                largest = source;
            }
        }
        return largest == null ? null : largest.oldest();
    }

    public int count() {
        return count;
    }

    private static InetAddress sourceOf(Pending connection) {
        return sourceOf(connection.peerAddress());
    }

    /** Returns the address that represents all addresses of a client's host. */
    public static InetAddress sourceOf(InetAddress address) {
        return address instanceof Inet6Address ? networkOf(address) : address;
    }

    private static InetAddress networkOf(InetAddress address) {
        byte[] bytes = address.getAddress();
        Arrays.fill(bytes, NETWORK_BYTES, bytes.length, (byte) 0);
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new AssertionError("an address has as many bytes as another one of its kind", e);
        }
    }
}
