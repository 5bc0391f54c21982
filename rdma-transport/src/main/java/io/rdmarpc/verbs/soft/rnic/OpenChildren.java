package io.rdmarpc.verbs.soft.rnic;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/** The open objects that were created from a parent. Used under the RNIC's lock. */
public final class OpenChildren {

    /** An object that its parent can close. */
    public interface Child {

        /** Closes the object, and removes it from its parents. */
        void close();
    }

    /** Its {@code forEach} allocates nothing; that of a {@code LinkedHashSet} creates an iterator. */
    private final Set<Child> open = Collections.newSetFromMap(new LinkedHashMap<>());

    public void add(Child child) {
        open.add(child);
    }

    public void remove(Child child) {
        open.remove(child);
    }

    void forEach(Consumer<Child> action) {
        open.forEach(action);
    }

    /** Closes all of them, newest first. */
    public void closeAll() {
        List<Child> newestFirst = new ArrayList<>(open).reversed();
        newestFirst.forEach(Child::close);
    }
}
