package io.rdmarpc.verbs.ibverbs.device;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The open objects that were created from a parent. Thread-safe. */
public final class Children {

    /** An object that its parent can close. */
    public interface Child {

        /**
         * Closes this object, then removes it from its parents. The order matters: another thread that closes a parent
         * meanwhile must find this object and wait. Otherwise the parent would be freed before its child.
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

    /** Closes all children, even if some fail. Holds no lock while it closes them. */
    public void closeAll() {
        Lifetime.runAll(
                newestFirst().stream().<Runnable>map(child -> child::close).toList());
    }
}
