package io.rdmarpc.remote.link;

import io.rdmarpc.remote.lease.RdmaRemoteMemoryException;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException.Reason;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * The existing links. A link uses device queues, so each host may open a limited number of links. Any thread.
 */
public final class LinkRegistry {

    private static final UUID NO_PEER = new UUID(0, 0);

    private final int maxPerPeer;
    private final Set<PeerLink> all = ConcurrentHashMap.newKeySet();
    private final Map<String, Integer> linksByHost = new ConcurrentHashMap<>();

    /**
     * Creates a registry without links.
     *
     * @param maxPerPeer the maximum number of links that one host may open
     */
    public LinkRegistry(int maxPerPeer) {
        this.maxPerPeer = maxPerPeer;
    }

    /**
     * Adds a link and opens it; removes it again if opening fails.
     *
     * @param link the link to open
     * @param begin opens the link
     * @throws RdmaRemoteMemoryException if the host has reached its limit
     */
    public void add(PeerLink link, Consumer<PeerLink> begin) {
        if (link.isOpenedByPeer()) {
            count(link.account());
        }
        all.add(link);
        boolean opened = false;
        try {
            begin.accept(link);
            opened = true;
        } finally {
            if (!opened) {
                remove(link);
            }
        }
    }

    private void count(String host) {
        linksByHost.merge(host, 1, (before, one) -> {
            if (before >= maxPerPeer) {
                throw new RdmaRemoteMemoryException(
                        Reason.QUOTA,
                        host + " has " + before + " links for remote memory, max-links-per-peer is " + maxPerPeer
                                + ". Close some of its RemotePeers, or raise the limit.");
            }
            return before + one;
        });
    }

    /** Removes a link. A second call has no effect. */
    public void remove(PeerLink link) {
        if (all.remove(link) && link.isOpenedByPeer()) {
            linksByHost.computeIfPresent(link.account(), (_, before) -> before == 1 ? null : before - 1);
        }
    }

    public Stream<PeerLink> stream() {
        return all.stream();
    }

    /** Returns a future that completes as soon as every existing link has received HELLO or has ended. */
    public CompletableFuture<Void> greetings() {
        return CompletableFuture.allOf(all.stream()
                .map(link -> link.greeted().exceptionally(_ -> NO_PEER))
                .toArray(CompletableFuture<?>[]::new));
    }

    public int size() {
        return all.size();
    }
}
