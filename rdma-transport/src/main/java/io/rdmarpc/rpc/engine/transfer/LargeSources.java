package io.rdmarpc.rpc.engine.transfer;

import io.rdmarpc.rpc.engine.session.LargeSource;
import io.rdmarpc.rpc.message.MessageOrigin;
import io.rdmarpc.transport.FairPart;
import io.rdmarpc.transport.RcTransport;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * The peers from which an engine READs large messages, and their control connections. Each exists while it has a
 * session at this engine. Engine thread only.
 */
final class LargeSources {

    private final RcTransport rc;
    private final FairPart bytes;
    private final FairPart calls;
    private final Map<Object, Peer> peers = new HashMap<>();

    LargeSources(RcTransport rc, LongSupplier maxBytes, LongSupplier maxCalls) {
        this.rc = rc;
        this.bytes = FairPart.whole(maxBytes);
        this.calls = FairPart.whole(maxCalls);
    }

    private static final class Peer {

        private final FairPart reads;
        private final FairPart bytes;
        private final FairPart calls;
        private final Map<Object, Connection> connections = new HashMap<>();

        Peer(FairPart reads, FairPart bytes, FairPart calls) {
            this.reads = reads;
            this.bytes = bytes;
            this.calls = calls;
        }
    }

    private static final class Connection {

        private final LargeSource source;
        private int sessions;

        Connection(LargeSource source) {
            this.source = source;
        }
    }

    /** Returns the source of a session's messages, creating it if necessary; {@link #leave} follows once. */
    LargeSource join(MessageOrigin origin) {
        Peer peer =
                peers.computeIfAbsent(origin.peer(), _ -> new Peer(rc.reads().part(), bytes.part(), calls.part()));
        Connection connection =
                peer.connections.computeIfAbsent(origin.connection(), _ -> new Connection(sourceOf(peer)));
        connection.sessions++;
        return connection.source;
    }

    private LargeSource sourceOf(Peer peer) {
        return new LargeSource(rc.newQueue(peer.reads.part()), peer.bytes.part(), peer.calls.part());
    }

    /** Removes a session that has ended. Its messages that are still being READ continue to count. */
    void leave(MessageOrigin origin) {
        Peer peer = peers.get(origin.peer());
        Connection connection = peer == null ? null : peer.connections.get(origin.connection());
        if (peer == null || connection == null) {
            return;
        }
        connection.sessions--;
        if (connection.sessions == 0) {
            peer.connections.remove(origin.connection());
        }
        if (peer.connections.isEmpty()) {
            peers.remove(origin.peer());
        }
    }

    /** Returns the number of peers, for tests. */
    int size() {
        return peers.size();
    }
}
