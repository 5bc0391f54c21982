package io.rdmarpc.service.memory;

import io.rdmarpc.async.LocalRegion;
import io.rdmarpc.remote.lease.WriteListener;
import io.rdmarpc.remote.lease.WriteNotification;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/** The registered listeners of memory regions. Thread-safe. */
public final class WriteListeners implements WriteListener {

    private static final Log LOG = LogFactory.getLog(WriteListeners.class);

    private final Map<LocalRegion, List<WriteListener>> ofRegions =
            Collections.synchronizedMap(new IdentityHashMap<>());
    private final List<WriteListener> general = new CopyOnWriteArrayList<>();

    /** Creates an instance without listeners. */
    public WriteListeners() {}

    /**
     * Adds a listener for writes that no other listener handles.
     *
     * @param listener receives such writes from now on
     */
    public void add(WriteListener listener) {
        general.add(listener);
    }

    /**
     * Adds a listener for the grants of a region.
     *
     * @param region the region of local memory
     * @param listener receives writes to these grants from now on
     */
    public void add(LocalRegion region, WriteListener listener) {
        ofRegions.merge(region, List.of(listener), WriteListeners::joined);
        var _ = region.released().whenComplete((_, _) -> ofRegions.remove(region));
    }

    private static List<WriteListener> joined(List<WriteListener> some, List<WriteListener> more) {
        List<WriteListener> all = new ArrayList<>(some);
        all.addAll(more);
        return List.copyOf(all);
    }

    /**
     * Returns a listener for grants of a region. It uses the region's listeners at the time of the write, otherwise the
     * general ones.
     */
    WriteListener of(LocalRegion region) {
        return notification -> publish(ofRegions.getOrDefault(region, general), notification);
    }

    @Override
    public void onWrite(WriteNotification notification) {
        publish(general, notification);
    }

    /** Calls all listeners; logs an exception, so that the remaining listeners are called. */
    private static void publish(List<WriteListener> listeners, WriteNotification notification) {
        for (WriteListener listener : listeners) {
            try {
                listener.onWrite(notification);
            } catch (RuntimeException | Error e) {
                LOG.error("A listener of remote memory threw an exception: " + listener, e);
            }
        }
    }
}
