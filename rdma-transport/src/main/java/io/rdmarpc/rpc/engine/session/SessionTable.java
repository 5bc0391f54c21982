package io.rdmarpc.rpc.engine.session;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of an engine by number. A number is an index with a generation above it, so that a late packet of an old
 * session does not reach the next one at its index. Numbers are handed out to control threads; entries belong to the
 * engine thread.
 *
 * @param <S> which end of sessions
 */
public final class SessionTable<S extends EngineSession> {

    /** Most sessions at a time. */
    public static final int MAX_SESSIONS = 1 << 16;

    private static final int INDEX_MASK = MAX_SESSIONS - 1;

    private final ArrayDeque<Integer> freeNumbers = new ArrayDeque<>();
    private int nextIndex;
    private @Nullable EngineSession[] entries = new EngineSession[16];
    // What all() answers, until sessions come or go: it is asked for again and again.
    private @Nullable List<S> all;
    private final AtomicInteger size = new AtomicInteger();

    /** Hands out a number; -1 when there are too many sessions. Any thread. */
    public synchronized int reserve() {
        Integer recycled = freeNumbers.pollFirst();
        if (recycled != null) {
            return recycled;
        }
        return nextIndex < MAX_SESSIONS ? nextIndex++ : -1;
    }

    /** Takes a number back for a later session. Any thread. */
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
