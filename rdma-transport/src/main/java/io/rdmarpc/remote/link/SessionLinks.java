package io.rdmarpc.remote.link;

import io.rdmarpc.rpc.RpcSession;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Links over the sessions of calls. A region in an argument or result belongs to the process at the other end of the
 * session, regardless of the target's instance. Any thread.
 */
public final class SessionLinks {

    private final LinkContext context;
    private final Map<RpcSession, CompletableFuture<PeerLink>> links = new ConcurrentHashMap<>();

    public SessionLinks(LinkContext context) {
        this.context = context;
    }

    /** Returns the link over a session; opens it if needed. */
    public CompletableFuture<PeerLink> of(RpcSession session) {
        CompletableFuture<PeerLink> known = links.get(session);
        return known != null && LinkOpener.isUsable(known) ? known : open(session);
    }

    private CompletableFuture<PeerLink> open(RpcSession session) {
        links.keySet().removeIf(before -> !before.isOpen());
        LinkOpener opener = new LinkOpener(context, session.info().peer());
        return links.compute(
                session,
                (_, known) -> known != null && LinkOpener.isUsable(known) ? known : opener.open(() -> session));
    }
}
