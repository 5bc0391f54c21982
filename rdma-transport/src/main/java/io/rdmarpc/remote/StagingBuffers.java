package io.rdmarpc.remote;

import io.rdmarpc.async.LocalRegion;
import io.rdmarpc.async.LocalSlice;
import io.rdmarpc.async.RdmaNode;
import io.rdmarpc.remote.support.RemoteMemoryFailures;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Registered buffers for operations on arrays. Buffers up to a size limit are reused. Any thread. */
final class StagingBuffers {

    private static final int MIN_BYTES = 4096;
    private static final int MAX_KEPT_BYTES = 1 << 20;
    private static final int MAX_KEPT_PER_SIZE = 8;

    private final RdmaNode node;
    private final Map<Integer, ArrayDeque<LocalRegion>> free = new HashMap<>();

    StagingBuffers(RdmaNode node) {
        this.node = node;
    }

    /** Provides a buffer to a task that waits for the operations it starts. */
    <T> T use(int bytes, Function<LocalSlice, T> task) {
        LocalRegion region = take(sizeFor(bytes));
        boolean done = false;
        try {
            T result = task.apply(region.slice(0, bytes));
            done = true;
            return result;
        } finally {
            putBack(region, done);
        }
    }

    /** Provides a buffer to an operation until the operation has ended. */
    <T> CompletableFuture<T> useAsync(
            int bytes, Function<LocalSlice, CompletableFuture<Void>> operation, Function<LocalSlice, T> result) {
        LocalRegion region = take(sizeFor(bytes));
        LocalSlice slice = region.slice(0, bytes);
        CompletableFuture<T> end = operation.apply(slice).handle((_, failure) -> {
            boolean done = false;
            try {
                if (failure != null) {
                    throw RemoteMemoryFailures.unwrapped(failure);
                }
                T value = result.apply(slice);
                done = true;
                return value;
            } finally {
                putBack(region, done);
            }
        });
        // A caller that cancels the returned future must not prevent the return of the buffer.
        return end.copy();
    }

    /**
     * Returns a buffer for reuse. After a failure the device may still use it, so it is closed and released by the
     * device.
     */
    private void putBack(LocalRegion region, boolean succeeded) {
        if (!succeeded || !keep(region)) {
            region.close();
        }
    }

    private static int sizeFor(int bytes) {
        int size = Math.max(MIN_BYTES, bytes <= 1 ? 1 : Integer.highestOneBit(bytes - 1) << 1);
        return size < 0 ? bytes : size;
    }

    private LocalRegion take(int size) {
        synchronized (free) {
            ArrayDeque<LocalRegion> fitting = free.get(size);
            if (fitting != null && !fitting.isEmpty()) {
                return fitting.pop();
            }
        }
        return node.allocate(size);
    }

    private boolean keep(LocalRegion region) {
        int size = (int) Math.min(Integer.MAX_VALUE, region.length());
        if (size > MAX_KEPT_BYTES) {
            return false;
        }
        synchronized (free) {
            ArrayDeque<LocalRegion> fitting = free.computeIfAbsent(size, _ -> new ArrayDeque<>());
            if (fitting.size() >= MAX_KEPT_PER_SIZE) {
                return false;
            }
            fitting.push(region);
            return true;
        }
    }
}
