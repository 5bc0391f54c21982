package io.rdmarpc.rpc.engine.session;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of an engine by number. A number consists of an index and a generation above it. A late packet of an
 * earlier session therefore does not reach the next session at the same index. Any thread may reserve a number; the
 * entries belong to the engine thread.
 *
 * @param <S> type of the sessions
 */
public final class SessionTable<S extends EngineSession> {

    /** Maximum number of sessions at a time. */
    public static final int MAX_SESSIONS = 1 << 16;

    private static final int INDEX_MASK = MAX_SESSIONS - 1;

    private final ArrayDeque<Integer> freeNumbers = new ArrayDeque<>();
    private int nextIndex;
    private @Nullable EngineSession[] entries = new EngineSession[16];
    // The cached result of all(), which is called often, until sessions join or leave.
    private @Nullable List<S> all;
    private final AtomicInteger size = new AtomicInteger();

    /** Reserves a number; returns -1 if there are too many sessions. Thread-safe. */
    public synchronized int reserve() {
        Integer recycled = freeNumbers.pollFirst();
        if (recycled != null) {
            return recycled;
        }
        return nextIndex < MAX_SESSIONS ? nextIndex++ : -1;
    }

    /** Returns a number, for use by a later session. Thread-safe. */
    public synchronized void giveBack(int id) {
        freeNumbers.addLast(id + MAX_SESSIONS);
    }

    public void put(S session) {
        int index = session.id & INDEX_MASK;
        if (index >= entries.length) {
            entries = Arrays.copyOf(entries, Math.max(index + 1, entries.length * 2));
        }
        entries[index] = session;
        all = null;
        size.incrementAndGet();
    }

    @SuppressWarnings("unchecked")
    @Nullable
    public S get(int id) {
        int index = id & INDEX_MASK;
        EngineSession session = index < entries.length ? entries[index] : null;
        return session != null && session.id == id ? (S) session : null;
    }

    public boolean remove(S session) {
        if (!session.equals(get(session.id))) {
            return false;
        }
        entries[session.id & INDEX_MASK] = null;
        all = null;
        size.decrementAndGet();
        return true;
    }

    public List<S> all() {
        List<S> known = all;
        if (known == null) {
            known = collect();
            all = known;
        }
        return known;
    }

    @SuppressWarnings("unchecked")
    private List<S> collect() {
        List<S> sessions = new ArrayList<>();
        for (EngineSession session : entries) {
            if (session != null) {
                sessions.add((S) session);
            }
        }
        return sessions;
    }

    public int size() {
        return size.get();
    }
}
