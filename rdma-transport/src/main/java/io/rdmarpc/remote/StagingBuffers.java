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

/** Registered memory for those who have arrays: kept from use to use up to a size. Any thread. */
final class StagingBuffers {

    private static final int SMALLEST = 4096;
    private static final int LARGEST_KEPT = 1 << 20;
    private static final int KEPT_OF_A_SIZE = 8;

    private final RdmaNode node;
    private final Map<Integer, ArrayDeque<LocalRegion>> free = new HashMap<>();

    StagingBuffers(RdmaNode node) {
        this.node = node;
    }

    /** Lends memory to a task that waits for the operations it starts. */
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

    /** Lends memory to an operation until it has ended. */
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
        // Whoever cancels his future must not keep the memory from going back.
        return end.copy();
    }

    /** After a failure the device may still be using it: then it goes when the device is done. */
    private void putBack(LocalRegion region, boolean succeeded) {
        if (!succeeded || !keep(region)) {
            region.close();
        }
    }

    private static int sizeFor(int bytes) {
        int size = Math.max(SMALLEST, bytes <= 1 ? 1 : Integer.highestOneBit(bytes - 1) << 1);
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
        if (size > LARGEST_KEPT) {
            return false;
        }
        synchronized (free) {
            ArrayDeque<LocalRegion> fitting = free.computeIfAbsent(size, _ -> new ArrayDeque<>());
            if (fitting.size() >= KEPT_OF_A_SIZE) {
                return false;
            }
            fitting.push(region);
            return true;
        }
    }
}
