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

/** Who listens to which memory. Any thread. */
public final class WriteListeners implements WriteListener {

    private static final Log LOG = LogFactory.getLog(WriteListeners.class);

    private final Map<LocalRegion, List<WriteListener>> ofRegions =
            Collections.synchronizedMap(new IdentityHashMap<>());
    private final List<WriteListener> others = new CopyOnWriteArrayList<>();

    /** Starts without listeners. */
    public WriteListeners() {}

    /**
     * Adds one for writes that no other is told of.
     *
     * @param listener told from now on
     */
    public void add(WriteListener listener) {
        others.add(listener);
    }

    /**
     * Adds one for the grants of a region.
     *
     * @param region own memory
     * @param listener told from now on
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

    /** Returns who is told of writes into grants of a region: those that listen to it at that time, else the others. */
    WriteListener of(LocalRegion region) {
        return notice -> tell(ofRegions.getOrDefault(region, others), notice);
    }

    @Override
    public void onWrite(WriteNotification notice) {
        tell(others, notice);
    }

    /** One that throws does not keep the others from hearing of it. */
    private static void tell(List<WriteListener> listeners, WriteNotification notice) {
        for (WriteListener listener : listeners) {
            try {
                listener.onWrite(notice);
            } catch (RuntimeException | Error e) {
                LOG.error("a listener of remote memory failed: " + listener, e);
            }
        }
    }
}
