package io.rdmarpc.rpc.engine.session;

import io.rdmarpc.transport.RcConnection;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The reliable connection of a session, which is created for the first large message. Engine thread only. */
public final class RcLink {

    private final SessionHost host;
    private final List<LargeRead> waiting = new ArrayList<>();
    private @Nullable RcConnection connection;
    private boolean requested;
    private int preparing;

    public RcLink(SessionHost host) {
        this.host = host;
    }

    @Nullable
    public RcConnection connection() {
        return connection;
    }

    public void await(LargeRead read) {
        waiting.add(read);
        if (!requested) {
            requested = true;
            host.connectionWanted();
        }
    }

    /** Counts a READ for which another thread allocates memory; {@link #prepared} follows. */
    public void prepare() {
        preparing++;
    }

    public void prepared() {
        preparing--;
    }

    /** Returns whether another thread allocates memory for a READ of this session. */
    public boolean isPreparing() {
        return preparing > 0;
    }

    /** Sets the connection, and returns the READs that waited for it. */
    public List<LargeRead> connected(RcConnection ready) {
        connection = ready;
        return takeWaiting();
    }

    public List<LargeRead> takeWaiting() {
        List<LargeRead> reads = List.copyOf(waiting);
        waiting.clear();
        return reads;
    }
}
