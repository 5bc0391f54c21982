package io.rdmarpc.rpc.control;

import io.rdmarpc.rpc.control.net.ControlLoop;
import io.rdmarpc.rpc.wire.Id128;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The tokens of received requests to open a session: the same token never opens a second session. A token is remembered
 * during its session and for a while afterwards. Control thread only.
 */
final class TokenTable {

    private final ControlLoop loop;
    private final Duration lifetime;
    private final int maxRemembered;
    private final Map<Id128, Entry> entries = new HashMap<>();

    /** The session of a token, null after its end. */
    static final class Entry {

        private @Nullable ServerControl session;

        private Entry(ServerControl session) {
            this.session = session;
        }

        @Nullable
        ServerControl session() {
            return session;
        }
    }

    TokenTable(ControlLoop loop, Duration lifetime, int maxRemembered) {
        this.loop = loop;
        this.maxRemembered = maxRemembered;
        this.lifetime = lifetime;
    }

    @Nullable
    Entry find(Id128 token) {
        return entries.get(token);
    }

    void add(Id128 token, ServerControl session) {
        entries.put(token, new Entry(session));
    }

    /**
     * Records the end of a session. Its token is kept for the configured lifetime, so that a late repetition of its
     * OPEN opens no other session.
     */
    void onEnded(Id128 token) {
        Entry entry = entries.get(token);
        if (entry == null) {
            return;
        }
        entry.session = null;
        if (entries.size() > maxRemembered) {
            // A client that opens and closes sessions quickly must not fill the memory.
            entries.remove(token);
        } else {
            loop.after(lifetime, () -> entries.remove(token, entry));
        }
    }

    int size() {
        return entries.size();
    }
}
