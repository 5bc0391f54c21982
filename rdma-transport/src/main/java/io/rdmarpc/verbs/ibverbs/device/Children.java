package io.rdmarpc.verbs.ibverbs.device;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** What was made from an object and is still open. Any thread. */
public final class Children {

    /** Something that its parent can close. */
    public interface Child {

        /**
         * Closes it, then removes it from its parents. In this order: a parent that another thread closes meanwhile must
         * find it and wait, or it would be freed before its child.
         */
        void close();
    }

    private final Set<Child> open = new LinkedHashSet<>();

    public synchronized void add(Child child) {
        open.add(child);
    }

    public synchronized void remove(Child child) {
        open.remove(child);
    }

    private synchronized List<Child> newestFirst() {
        return new ArrayList<>(open).reversed();
    }

    /** Closes all of them, whatever happens to some. Holds no lock meanwhile. */
    public void closeAll() {
        Lifetime.runAll(
                newestFirst().stream().<Runnable>map(child -> child::close).toList());
    }
}
