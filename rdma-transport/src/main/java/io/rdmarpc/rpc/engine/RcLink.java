package io.rdmarpc.rpc.engine;

import io.rdmarpc.transport.RcConnection;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The reliable connection of a session, made when the first large message asks for it. Engine thread only. */
final class RcLink {

    private final SessionHost host;
    private final List<LargeRead> waiting = new ArrayList<>();
    private @Nullable RcConnection connection;
    private boolean requested;
    private int preparing;

    RcLink(SessionHost host) {
        this.host = host;
    }

    @Nullable
    RcConnection connection() {
        return connection;
    }

    void await(LargeRead read) {
        waiting.add(read);
        if (!requested) {
            requested = true;
            host.connectionWanted();
        }
    }

    /** Memory is being made for a READ, elsewhere; {@link #prepared} follows. */
    void prepare() {
        preparing++;
    }

    void prepared() {
        preparing--;
    }

    /** Tells whether a READ will come back for which memory is being made. */
    boolean isPreparing() {
        return preparing > 0;
    }

    /** Takes the connection and returns the READs that waited for it. */
    List<LargeRead> connected(RcConnection ready) {
        connection = ready;
        return takeWaiting();
    }

    List<LargeRead> takeWaiting() {
        List<LargeRead> reads = List.copyOf(waiting);
        waiting.clear();
        return reads;
    }
}
