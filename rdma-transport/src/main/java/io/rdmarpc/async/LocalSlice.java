package io.rdmarpc.async;

import io.rdmarpc.async.error.RdmaRegionBusyException;
import io.rdmarpc.async.error.RdmaRegionClosedException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;

/**
 * Some bytes of a {@link LocalRegion}: what operations work on. Any thread.
 *
 * <p>Its memory is reached through {@link #readable} and {@link #writable}, which refuse while an operation of the device
 * stands against it. A segment taken before the operation was started is not taken back: whoever keeps one must keep
 * the order too.
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
     * Returns the region it is a part of.
     *
     * @return the region
     */
    public LocalRegion region() {
        return region;
    }

    /**
     * Returns where it starts.
     *
     * @return bytes from the region's first
     */
    public long offset() {
        return offset;
    }

    /**
     * Returns how long it is.
     *
     * @return bytes
     */
    public long length() {
        return length;
    }

    /**
     * Takes a part.
     *
     * @param from bytes from this slice's first
     * @param bytes how many
     * @return the part
     * @throws IndexOutOfBoundsException when it is not inside
     */
    public LocalSlice slice(long from, long bytes) {
        Objects.checkFromIndexSize(from, bytes, length);
        return new LocalSlice(region, offset + from, bytes);
    }

    /**
     * Describes it for the peer.
     *
     * @return what the peer can read or write, as the region's rights allow
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
     * Copies bytes to its beginning.
     *
     * @param bytes not more than fit
     * @return the part that was filled
     * @throws RdmaRegionBusyException while the device may read or write that part
     */
    public LocalSlice put(byte[] bytes) {
        LocalSlice filled = slice(0, bytes.length);
        MemorySegment.copy(bytes, 0, filled.writable(), ValueLayout.JAVA_BYTE, 0, bytes.length);
        return filled;
    }

    /**
     * Copies its bytes.
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
