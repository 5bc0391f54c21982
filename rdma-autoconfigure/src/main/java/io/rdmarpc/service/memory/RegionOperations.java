package io.rdmarpc.service.memory;

import io.rdmarpc.async.LocalSlice;
import io.rdmarpc.remote.RemoteRegion;
import java.util.concurrent.CompletableFuture;

/** Operations on a region of another process, in a blocking variant and one that returns a future. */
abstract class RegionOperations {

    RegionOperations() {}

    /**
     * Reads into an array.
     *
     * @param region the source
     * @param offset offset in the region in bytes
     * @param bytes how many bytes to read
     * @return a new array
     */
    public byte[] read(RemoteRegion region, long offset, int bytes) {
        return region.read(offset, bytes);
    }

    /**
     * Reads into local memory, without a copy.
     *
     * @param region the source
     * @param offset offset in the region in bytes
     * @param into the destination, as long as the range to read
     */
    public void read(RemoteRegion region, long offset, LocalSlice into) {
        region.read(offset, into);
    }

    /**
     * Reads into an array.
     *
     * @param region the source
     * @param offset offset in the region in bytes
     * @param bytes how many bytes to read
     * @return completes with a new array
     */
    public CompletableFuture<byte[]> readAsync(RemoteRegion region, long offset, int bytes) {
        return region.readAsync(offset, bytes);
    }

    /**
     * Reads into local memory, without a copy.
     *
     * @param region the source
     * @param offset offset in the region in bytes
     * @param into the destination, as long as the range to read; must not be accessed until the operation ends
     * @return completes when the bytes are in local memory
     */
    public CompletableFuture<Void> readAsync(RemoteRegion region, long offset, LocalSlice into) {
        return region.readAsync(offset, into);
    }

    /**
     * Writes an array.
     *
     * @param region the destination
     * @param offset offset in the region in bytes
     * @param bytes the bytes
     */
    public void write(RemoteRegion region, long offset, byte[] bytes) {
        region.write(offset, bytes);
    }

    /**
     * Writes local memory, without a copy.
     *
     * @param region the destination
     * @param offset offset in the region in bytes
     * @param from the bytes
     */
    public void write(RemoteRegion region, long offset, LocalSlice from) {
        region.write(offset, from);
    }

    /**
     * Writes an array.
     *
     * @param region the destination
     * @param offset offset in the region in bytes
     * @param bytes the bytes; copied before this method returns
     * @return completes when the owner's NIC has the bytes
     */
    public CompletableFuture<Void> writeAsync(RemoteRegion region, long offset, byte[] bytes) {
        return region.writeAsync(offset, bytes);
    }

    /**
     * Writes local memory, without a copy.
     *
     * @param region the destination
     * @param offset offset in the region in bytes
     * @param from the bytes; may be read but not written until the operation ends
     * @return completes when the owner's NIC has the bytes
     */
    public CompletableFuture<Void> writeAsync(RemoteRegion region, long offset, LocalSlice from) {
        return region.writeAsync(offset, from);
    }

    /**
     * Writes, and notifies the owner's {@link RemoteWriteListener}.
     *
     * @param region the destination, with rights {@code WRITE} and {@code NOTIFY}
     * @param offset offset in the region in bytes
     * @param from the bytes, may be empty; at most 256 MiB and the maximum message of the device
     * @param tag a number for the listener, 0 to 65535
     */
    public void writeWithNotify(RemoteRegion region, long offset, LocalSlice from, int tag) {
        region.writeWithNotify(offset, from, tag);
    }

    /**
     * Writes, and notifies the owner's {@link RemoteWriteListener}.
     *
     * @param region the destination, with rights {@code WRITE} and {@code NOTIFY}
     * @param offset offset in the region in bytes
     * @param from the bytes, may be empty; at most 256 MiB and the maximum message of the device. May be read but not
     *     written until the operation ends
     * @param tag a number for the listener, 0 to 65535
     * @return completes when the owner's NIC has the bytes
     */
    public CompletableFuture<Void> writeWithNotifyAsync(RemoteRegion region, long offset, LocalSlice from, int tag) {
        return region.writeWithNotifyAsync(offset, from, tag);
    }

    /**
     * Replaces 8 bytes if they have an expected value; atomic with regard to RDMA operations.
     *
     * @param region the region
     * @param offset offset in the region in bytes, a multiple of 8
     * @param expected the expected value
     * @param update the new value
     * @return the original value; the swap took place if it equals the expected one
     */
    public long compareAndSwap(RemoteRegion region, long offset, long expected, long update) {
        return region.compareAndSwap(offset, expected, update);
    }

    /**
     * Replaces 8 bytes if they have an expected value; atomic with regard to RDMA operations.
     *
     * @param region the region
     * @param offset offset in the region in bytes, a multiple of 8
     * @param expected the expected value
     * @param update the new value
     * @return completes with the original value
     */
    public CompletableFuture<Long> compareAndSwapAsync(RemoteRegion region, long offset, long expected, long update) {
        return region.compareAndSwapAsync(offset, expected, update);
    }

    /**
     * Adds to 8 bytes; atomic with regard to RDMA operations.
     *
     * @param region the region
     * @param offset offset in the region in bytes, a multiple of 8
     * @param addend the number to add
     * @return the original value
     */
    public long getAndAdd(RemoteRegion region, long offset, long addend) {
        return region.getAndAdd(offset, addend);
    }

    /**
     * Adds to 8 bytes; atomic with regard to RDMA operations.
     *
     * @param region the region
     * @param offset offset in the region in bytes, a multiple of 8
     * @param addend the number to add
     * @return completes with the original value
     */
    public CompletableFuture<Long> getAndAddAsync(RemoteRegion region, long offset, long addend) {
        return region.getAndAddAsync(offset, addend);
    }

    /**
     * Frees a region.
     *
     * @param region the region; a slice frees all of it
     */
    public void free(RemoteRegion region) {
        region.free();
    }

    /**
     * Frees a region.
     *
     * @param region the region; a slice frees all of it
     * @return completes when the owner has confirmed it
     */
    public CompletableFuture<Void> freeAsync(RemoteRegion region) {
        return region.freeAsync();
    }
}
