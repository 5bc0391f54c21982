package io.rdmarpc.remote;

import io.rdmarpc.rpc.RpcSession;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Links over the sessions that calls use: regions in arguments and results are of the very process at the other end,
 * whichever instance of a target that is. Any thread.
 */
final class SessionLinks {

    private final MemoryCore core;
    private final Map<RpcSession, CompletableFuture<PeerLink>> links = new ConcurrentHashMap<>();

    SessionLinks(MemoryCore core) {
        this.core = core;
    }

    /** The link over a session, opened when there is none. */
    CompletableFuture<PeerLink> of(RpcSession session) {
        CompletableFuture<PeerLink> known = links.get(session);
        return known != null && LinkOpener.isUsable(known) ? known : open(session);
    }

    private CompletableFuture<PeerLink> open(RpcSession session) {
        links.keySet().removeIf(before -> !before.isOpen());
        LinkOpener opener = new LinkOpener(core, session.info().peer());
        return links.compute(
                session,
                (_, known) -> known != null && LinkOpener.isUsable(known) ? known : opener.open(() -> session));
    }
}
