package io.rdmarpc.service.memory;

import io.rdmarpc.async.LocalSlice;
import io.rdmarpc.remote.RemoteRegion;
import java.util.concurrent.CompletableFuture;

/** What can be done with a region of another process, each operation waiting for its end or answering with a future. */
abstract class RegionOperations {

    RegionOperations() {}

    /**
     * Reads into an array.
     *
     * @param region what
     * @param offset from which byte
     * @param bytes how many
     * @return a new array
     */
    public byte[] read(RemoteRegion region, long offset, int bytes) {
        return region.read(offset, bytes);
    }

    /**
     * Reads into own memory, without a copy.
     *
     * @param region what
     * @param offset from which byte
     * @param into where to, as many bytes as are read
     */
    public void read(RemoteRegion region, long offset, LocalSlice into) {
        region.read(offset, into);
    }

    /**
     * Reads into an array.
     *
     * @param region what
     * @param offset from which byte
     * @param bytes how many
     * @return completed with a new array
     */
    public CompletableFuture<byte[]> readAsync(RemoteRegion region, long offset, int bytes) {
        return region.readAsync(offset, bytes);
    }

    /**
     * Reads into own memory, without a copy.
     *
     * @param region what
     * @param offset from which byte
     * @param into where to, as many bytes as are read; not to be touched until the end
     * @return completed when the bytes are there
     */
    public CompletableFuture<Void> readAsync(RemoteRegion region, long offset, LocalSlice into) {
        return region.readAsync(offset, into);
    }

    /**
     * Writes an array.
     *
     * @param region where to
     * @param offset to which byte
     * @param bytes what
     */
    public void write(RemoteRegion region, long offset, byte[] bytes) {
        region.write(offset, bytes);
    }

    /**
     * Writes own memory, without a copy.
     *
     * @param region where to
     * @param offset to which byte
     * @param from the bytes
     */
    public void write(RemoteRegion region, long offset, LocalSlice from) {
        region.write(offset, from);
    }

    /**
     * Writes an array.
     *
     * @param region where to
     * @param offset to which byte
     * @param bytes what; copied before this returns
     * @return completed when the owner's NIC has them
     */
    public CompletableFuture<Void> writeAsync(RemoteRegion region, long offset, byte[] bytes) {
        return region.writeAsync(offset, bytes);
    }

    /**
     * Writes own memory, without a copy.
     *
     * @param region where to
     * @param offset to which byte
     * @param from the bytes; may be read but not written until the end
     * @return completed when the owner's NIC has them
     */
    public CompletableFuture<Void> writeAsync(RemoteRegion region, long offset, LocalSlice from) {
        return region.writeAsync(offset, from);
    }

    /**
     * Writes, and has the owner's {@link RemoteWriteListener} called.
     *
     * @param region where to, with rights {@code WRITE} and {@code NOTIFY}
     * @param offset to which byte
     * @param from the bytes, at most 256 MiB or a message of the device, may be empty
     * @param tag what the listener is to know, 0 to 65535
     */
    public void writeWithNotify(RemoteRegion region, long offset, LocalSlice from, int tag) {
        region.writeWithNotify(offset, from, tag);
    }

    /**
     * Writes, and has the owner's {@link RemoteWriteListener} called.
     *
     * @param region where to, with rights {@code WRITE} and {@code NOTIFY}
     * @param offset to which byte
     * @param from the bytes, at most 256 MiB or a message of the device, may be empty; may be read but not written until the end
     * @param tag what the listener is to know, 0 to 65535
     * @return completed when the owner's NIC has them
     */
    public CompletableFuture<Void> writeWithNotifyAsync(RemoteRegion region, long offset, LocalSlice from, int tag) {
        return region.writeWithNotifyAsync(offset, from, tag);
    }

    /**
     * Replaces 8 bytes when they are as expected; atomic among RDMA operations.
     *
     * @param region where
     * @param offset of the first byte, a multiple of 8
     * @param expected what must be there
     * @param update what replaces it
     * @return the value found: the swap took place when it is the one expected
     */
    public long compareAndSwap(RemoteRegion region, long offset, long expected, long update) {
        return region.compareAndSwap(offset, expected, update);
    }

    /**
     * Replaces 8 bytes when they are as expected; atomic among RDMA operations.
     *
     * @param region where
     * @param offset of the first byte, a multiple of 8
     * @param expected what must be there
     * @param update what replaces it
     * @return completed with the value found
     */
    public CompletableFuture<Long> compareAndSwapAsync(RemoteRegion region, long offset, long expected, long update) {
        return region.compareAndSwapAsync(offset, expected, update);
    }

    /**
     * Adds to 8 bytes; atomic among RDMA operations.
     *
     * @param region where
     * @param offset of the first byte, a multiple of 8
     * @param addend what to add
     * @return the value found before
     */
    public long getAndAdd(RemoteRegion region, long offset, long addend) {
        return region.getAndAdd(offset, addend);
    }

    /**
     * Adds to 8 bytes; atomic among RDMA operations.
     *
     * @param region where
     * @param offset of the first byte, a multiple of 8
     * @param addend what to add
     * @return completed with the value found before
     */
    public CompletableFuture<Long> getAndAddAsync(RemoteRegion region, long offset, long addend) {
        return region.getAndAddAsync(offset, addend);
    }

    /**
     * Gives a region back.
     *
     * @param region what; a slice stands for all of it
     */
    public void free(RemoteRegion region) {
        region.free();
    }

    /**
     * Gives a region back.
     *
     * @param region what; a slice stands for all of it
     * @return completed when the owner has it again
     */
    public CompletableFuture<Void> freeAsync(RemoteRegion region) {
        return region.freeAsync();
    }
}
