package io.rdmarpc.verbs.ibverbs.device;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Finds what an asynchronous event is about: queue pairs, completion queues and shared receive queues by their pointers.
 * An object comes in when it was made and goes before it is destroyed, so that the pointer's next owner does not meet
 * it. Any thread.
 */
public final class EventTargets {

    private final Map<Long, Object> open = new ConcurrentHashMap<>();

    public void add(long pointer, Object target) {
        open.put(pointer, target);
    }

    public void remove(long pointer) {
        open.remove(pointer);
    }

    /** The object of this kind, or null when it is being closed. */
    <T> @Nullable T find(long pointer, Class<T> kind) {
        Object found = open.get(pointer);
        return kind.isInstance(found) ? kind.cast(found) : null;
    }
}
