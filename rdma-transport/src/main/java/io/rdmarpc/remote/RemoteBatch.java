package io.rdmarpc.remote;

import io.rdmarpc.async.LocalSlice;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Operations on any regions and peers that start together and complete as one. It can gather separate local slices into
 * one region, or scatter one region to separate slices. Operations to one peer start in the order of the batch. A batch
 * is not atomic: another process may see a part of its writes. Not thread-safe.
 */
public final class RemoteBatch {

    private final MemoryCore core;
    private final List<Supplier<CompletableFuture<?>>> operations = new ArrayList<>();
    private long bytes;
    private boolean started;

    RemoteBatch(MemoryCore core) {
        this.core = core;
    }

    /**
     * Adds a read.
     *
     * @param region the source
     * @param offset offset in the region in bytes
     * @param into the destination, as long as the range to read; must not be accessed until the batch ends
     * @return this
     */
    public RemoteBatch read(RemoteRegion region, long offset, LocalSlice into) {
        return add(into.length(), () -> region.readAsync(offset, into));
    }

    /**
     * Adds a write.
     *
     * @param region the destination
     * @param offset offset in the region in bytes
     * @param from the bytes; may be read but not written until the batch ends
     * @return this
     */
    public RemoteBatch write(RemoteRegion region, long offset, LocalSlice from) {
        return add(from.length(), () -> region.writeAsync(offset, from));
    }

    /**
     * Adds reads that scatter one contiguous range of a region to several local slices.
     *
     * @param region the source
     * @param offset offset in the region in bytes
     * @param into the destinations, in the order of the range
     * @return this
     */
    public RemoteBatch scatter(RemoteRegion region, long offset, List<LocalSlice> into) {
        long at = offset;
        for (LocalSlice slice : into) {
            read(region, at, slice);
            at += slice.length();
        }
        return this;
    }

    /**
     * Adds writes that gather several local slices into one contiguous range of a region.
     *
     * @param region the destination
     * @param offset offset in the region in bytes
     * @param from the slices, in the order of the range
     * @return this
     */
    public RemoteBatch gather(RemoteRegion region, long offset, List<LocalSlice> from) {
        long at = offset;
        for (LocalSlice slice : from) {
            write(region, at, slice);
            at += slice.length();
        }
        return this;
    }

    private RemoteBatch add(long length, Supplier<CompletableFuture<?>> operation) {
        if (started) {
            throw new IllegalStateException("The batch was started before. Create another batch");
        }
        bytes += length;
        operations.add(operation);
        return this;
    }

    /**
     * Starts all operations.
     *
     * @return completes when all operations have ended, with the first failure if there is one
     */
    public CompletableFuture<Void> startAsync() {
        if (started) {
            throw new IllegalStateException("The batch was started before. Create another batch");
        }
        started = true;
        CompletableFuture<?>[] ends = new CompletableFuture<?>[operations.size()];
        for (int i = 0; i < ends.length; i++) {
            ends[i] = operations.get(i).get();
        }
        return CompletableFuture.allOf(ends);
    }

    /**
     * Starts all operations and waits until all have ended.
     *
     * @throws RdmaRemoteMemoryException if an operation is rejected before it is posted, or an owner is unreachable
     * @throws io.rdmarpc.async.error.RdmaOperationException if a NIC reports a failure
     */
    public void run() {
        core.waiter().await(startAsync(), bytes, "a batch of " + operations.size() + " operations");
    }
}
