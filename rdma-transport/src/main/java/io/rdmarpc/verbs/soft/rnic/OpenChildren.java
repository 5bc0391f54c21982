package io.rdmarpc.verbs.soft.rnic;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/** What was made from an object and is still open. Used under the RNIC's lock. */
public final class OpenChildren {

    /** Something that its parent can close. */
    public interface Child {

        /** Closes it, and removes it from its parents. */
        void close();
    }

    /** Walking it allocates nothing; that of a {@code LinkedHashSet} takes an iterator. */
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
