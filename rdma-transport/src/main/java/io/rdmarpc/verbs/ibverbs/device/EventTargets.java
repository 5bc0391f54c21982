package io.rdmarpc.verbs.ibverbs.device;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Finds the object of an asynchronous event: queue pairs, completion queues and shared receive queues by their
 * pointers. An object is added after its creation and removed before it is destroyed, so that a reused pointer does not
 * match the old object. Thread-safe.
 */
public final class EventTargets {

    private final Map<Long, Object> open = new ConcurrentHashMap<>();

    public void add(long pointer, Object target) {
        open.put(pointer, target);
    }

    public void remove(long pointer) {
        open.remove(pointer);
    }

    /** Returns the object of this kind, or null if it is being closed. */
    <T> @Nullable T find(long pointer, Class<T> kind) {
        Object found = open.get(pointer);
        return kind.isInstance(found) ? kind.cast(found) : null;
    }
}
