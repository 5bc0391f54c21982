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
 * The links there are. Each that a peer opens can cost queues of the device, so a host has only so many. Any thread.
 */
public final class LinkRegistry {

    private static final UUID NOBODY = new UUID(0, 0);

    private final int mostPerPeer;
    private final Set<PeerLink> all = ConcurrentHashMap.newKeySet();
    private final Map<String, Integer> opened = new ConcurrentHashMap<>();

    /**
     * Starts without links.
     *
     * @param mostPerPeer how many one host may open
     */
    public LinkRegistry(int mostPerPeer) {
        this.mostPerPeer = mostPerPeer;
    }

    /**
     * Adds a link while it begins; when that fails it is out again.
     *
     * @param link to be opened
     * @param begin opens it
     * @throws RdmaRemoteMemoryException when its host has as many as it may
     */
    public void add(PeerLink link, Consumer<PeerLink> begin) {
        if (link.isOpenedByPeer()) {
            count(link.account());
        }
        all.add(link);
        boolean begun = false;
        try {
            begin.accept(link);
            begun = true;
        } finally {
            if (!begun) {
                remove(link);
            }
        }
    }

    private void count(String host) {
        opened.merge(host, 1, (before, one) -> {
            if (before >= mostPerPeer) {
                throw new RdmaRemoteMemoryException(
                        Reason.QUOTA,
                        host + " has " + before + " links for memory, max-links-per-peer is " + mostPerPeer
                                + ". Close some of its RemotePeers, or raise the limit.");
            }
            return before + one;
        });
    }

    /** A second call does nothing. */
    public void remove(PeerLink link) {
        if (all.remove(link) && link.isOpenedByPeer()) {
            opened.computeIfPresent(link.account(), (_, before) -> before == 1 ? null : before - 1);
        }
    }

    public Stream<PeerLink> stream() {
        return all.stream();
    }

    /** Completed when all that there are now have said hello, or have ended without. */
    public CompletableFuture<Void> greetings() {
        return CompletableFuture.allOf(all.stream()
                .map(link -> link.greeted().exceptionally(_ -> NOBODY))
                .toArray(CompletableFuture<?>[]::new));
    }

    public int size() {
        return all.size();
    }
}
