package io.rdmarpc.remote;

import io.rdmarpc.async.LocalSlice;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Operations that start together and end as one: of any regions and peers, in any places. Gathers what lies apart here into
 * one region, or fetches what lies apart there. Operations to one peer are carried out in the order of the batch as far
 * as its connection does so; nothing makes them one whole: another peer may see some done and others not. One thread.
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
     * @param region of what
     * @param offset from which byte
     * @param into where to, as many bytes as are read; not to be touched until the end
     * @return this
     */
    public RemoteBatch read(RemoteRegion region, long offset, LocalSlice into) {
        return add(into.length(), () -> region.readAsync(offset, into));
    }

    /**
     * Adds a write.
     *
     * @param region of what
     * @param offset to which byte
     * @param from the bytes; may be read but not written until the end
     * @return this
     */
    public RemoteBatch write(RemoteRegion region, long offset, LocalSlice from) {
        return add(from.length(), () -> region.writeAsync(offset, from));
    }

    /**
     * Adds reads that scatter: bytes that lie together there go to slices that lie apart here.
     *
     * @param region of what
     * @param offset from which byte
     * @param into where to, one after the other
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
     * Adds writes that gather: slices that lie apart here go to bytes that lie together there.
     *
     * @param region of what
     * @param offset to which byte
     * @param from the slices, one after the other
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
            throw new IllegalStateException("the batch was started: make another");
        }
        bytes += length;
        operations.add(operation);
        return this;
    }

    /**
     * Starts all.
     *
     * @return completed when all have ended, with the first failure if there is one
     */
    public CompletableFuture<Void> startAsync() {
        if (started) {
            throw new IllegalStateException("the batch was started: make another");
        }
        started = true;
        CompletableFuture<?>[] ends = new CompletableFuture<?>[operations.size()];
        for (int i = 0; i < ends.length; i++) {
            ends[i] = operations.get(i).get();
        }
        return CompletableFuture.allOf(ends);
    }

    /**
     * Starts all, and waits for the end of all.
     *
     * @throws RdmaRemoteMemoryException when one is refused here or an owner is gone
     * @throws io.rdmarpc.async.error.RdmaOperationException when a NIC reports a failure
     */
    public void run() {
        core.responseTimeout().await(startAsync(), bytes, "a batch of " + operations.size() + " operations");
    }
}
