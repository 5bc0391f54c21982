package io.rdmarpc.rpc.control;

import io.rdmarpc.rpc.control.net.ControlLoop;
import io.rdmarpc.rpc.wire.Id128;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which request to open a session was seen before: the same token never makes a second session. A token is known as long
 * as its session lives, and for a while after. Control thread only.
 */
final class TokenTable {

    private final ControlLoop loop;
    private final Duration lifetime;
    private final int mostRemembered;
    private final Map<Id128, Entry> entries = new HashMap<>();

    /** What became of a token: its session, as long as there is one. */
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

    TokenTable(ControlLoop loop, Duration lifetime, int mostRemembered) {
        this.loop = loop;
        this.mostRemembered = mostRemembered;
        this.lifetime = lifetime;
    }

    @Nullable
    Entry find(Id128 token) {
        return entries.get(token);
    }

    void add(Id128 token, ServerControl session) {
        entries.put(token, new Entry(session));
    }

    /** The session has ended; the token is remembered a little longer, so that a late repetition makes no other. */
    void onEnded(Id128 token) {
        Entry entry = entries.get(token);
        if (entry == null) {
            return;
        }
        entry.session = null;
        if (entries.size() > mostRemembered) {
            // Whoever opens and closes that fast does not fill this memory.
            entries.remove(token);
        } else {
            loop.after(lifetime, () -> entries.remove(token, entry));
        }
    }

    int size() {
        return entries.size();
    }
}
