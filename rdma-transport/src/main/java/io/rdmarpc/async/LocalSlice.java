package io.rdmarpc.async;

import io.rdmarpc.async.error.RdmaRegionBusyException;
import io.rdmarpc.async.error.RdmaRegionClosedException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;

/**
 * A range of bytes of a {@link LocalRegion} that operations use. Thread-safe.
 *
 * <p>{@link #readable} and {@link #writable} check for pending operations and throw if one uses the memory. A segment
 * obtained before an operation was submitted is not revoked: the caller must not use it until the operation ends.
 */
public final class LocalSlice {

    private final LocalRegion region;
    private final long offset;
    private final long length;

    LocalSlice(LocalRegion region, long offset, long length) {
        Objects.checkFromIndexSize(offset, length, region.length());
        this.region = region;
        this.offset = offset;
        this.length = length;
    }

    /**
     * Returns the region that contains the slice.
     *
     * @return the region
     */
    public LocalRegion region() {
        return region;
    }

    /**
     * Returns the start of the slice.
     *
     * @return bytes from the start of the region
     */
    public long offset() {
        return offset;
    }

    /**
     * Returns the length.
     *
     * @return bytes
     */
    public long length() {
        return length;
    }

    /**
     * Returns a part of the slice.
     *
     * @param from bytes from the start of this slice
     * @param bytes the length of the part in bytes
     * @return the part
     * @throws IndexOutOfBoundsException if the part is not inside this slice
     */
    public LocalSlice slice(long from, long bytes) {
        Objects.checkFromIndexSize(from, bytes, length);
        return new LocalSlice(region, offset + from, bytes);
    }

    /**
     * Describes the slice for the peer.
     *
     * @return the range that the peer can read or write, as far as the region's access flags allow
     */
    public RemoteMemoryRange remote() {
        return region.remote().slice(offset, length);
    }

    /**
     * Returns the memory for reading.
     *
     * @return a read-only view
     * @throws RdmaRegionBusyException while the device may write into it
     * @throws RdmaRegionClosedException after the region was closed
     */
    public MemorySegment readable() {
        region.claims().check(this, false, "A read");
        return memory().asReadOnly();
    }

    /**
     * Returns the memory for writing.
     *
     * @return a view
     * @throws RdmaRegionBusyException while the device may read it or write into it
     * @throws RdmaRegionClosedException after the region was closed
     */
    public MemorySegment writable() {
        region.claims().check(this, true, "A write");
        return memory();
    }

    /**
     * Copies bytes to the start of the slice.
     *
     * @param bytes the bytes, at most as many as the slice has
     * @return the part that was filled
     * @throws RdmaRegionBusyException while the device may read or write the filled part
     */
    public LocalSlice put(byte[] bytes) {
        LocalSlice filled = slice(0, bytes.length);
        MemorySegment.copy(bytes, 0, filled.writable(), ValueLayout.JAVA_BYTE, 0, bytes.length);
        return filled;
    }

    /**
     * Copies the bytes of the slice.
     *
     * @return a new array
     * @throws RdmaRegionBusyException while the device may write into it
     */
    public byte[] toBytes() {
        return readable().toArray(ValueLayout.JAVA_BYTE);
    }

    boolean overlaps(LocalSlice other) {
        return length > 0 && other.length > 0 && offset < other.offset + other.length && other.offset < offset + length;
    }

    long address() {
        return region.address() + offset;
    }

    private MemorySegment memory() {
        return region.segment().asSlice(offset, length);
    }

    @Override
    public String toString() {
        return "bytes " + offset + " to " + (offset + length) + " of a region of " + region.length();
    }
}
