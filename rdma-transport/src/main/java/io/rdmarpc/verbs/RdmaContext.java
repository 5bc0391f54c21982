package io.rdmarpc.verbs;

import io.rdmarpc.verbs.attributes.DeviceAttributes;
import io.rdmarpc.verbs.attributes.GidEntry;
import io.rdmarpc.verbs.attributes.PortAttributes;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;

/** An open device ({@code struct ibv_context}). Thread-safe. */
public interface RdmaContext extends AutoCloseable {

    /**
     * Returns the device's name.
     *
     * @return such as {@code mlx5_0}, {@code rxe0} or {@code soft0}
     */
    String deviceName();

    /**
     * Returns the device's limits.
     *
     * @return the limits as read when the device was opened
     */
    DeviceAttributes attributes();

    /**
     * Queries a port's attributes.
     *
     * @param portNumber from 1
     * @return the current attributes
     * @throws RdmaVerbsException if there is no such port
     */
    PortAttributes queryPort(int portNumber);

    /**
     * Returns a port's GID table.
     *
     * @param portNumber from 1
     * @return the used entries in the order of their index
     */
    List<GidEntry> gidTable(int portNumber);

    /**
     * Allocates a protection domain.
     *
     * @return the domain, which the caller closes
     */
    ProtectionDomain allocateProtectionDomain();

    /**
     * Creates a completion queue.
     *
     * @param entries the number of completions that must fit
     * @return the queue, which the caller closes
     * @throws RdmaVerbsException if the device rejects the request, with the device's limit
     */
    CompletionQueue createCompletionQueue(int entries);

    /**
     * Creates a channel for completion events.
     *
     * @return the channel, which the caller closes
     * @throws RdmaVerbsException if the device has no completion channels
     */
    default CompletionChannel createCompletionChannel() {
        throw RdmaVerbsException.notSupported(
                "ibv_create_comp_channel", deviceName(), "This provider has no completion channels: poll the queue");
    }

    /**
     * Creates a completion queue whose events go to a channel.
     *
     * @param entries the number of completions that must fit
     * @param channel a channel of this context
     * @return the queue, which the caller closes
     * @throws RdmaVerbsException if the device rejects the request, with the device's limit
     */
    default CompletionQueue createCompletionQueue(int entries, CompletionChannel channel) {
        throw RdmaVerbsException.notSupported(
                "ibv_create_cq", deviceName(), "This provider has no completion channels: create the queue without");
    }

    /**
     * Adds a listener for the events of this device. The first listener starts a daemon thread, which ends with the
     * context. Closing the context does not wait for a listener that is running.
     *
     * <p>Some devices do not deliver {@link AsyncEventType#PORT_ACTIVE}. The context therefore queries the state of a
     * port once a second while the port is down, and delivers the event itself. An event that concerns an object in the
     * process of being closed is dropped.
     *
     * @param listener receives each event
     * @return the subscription; closing it removes the listener
     */
    default Subscription onAsyncEvent(AsyncEventListener listener) {
        throw RdmaVerbsException.notSupported(
                "ibv_get_async_event", deviceName(), "This provider has no asynchronous events");
    }

    /** A subscription that ends when it is closed. A second call of {@link #close} does nothing. */
    @FunctionalInterface
    interface Subscription extends AutoCloseable {

        @Override
        void close();
    }

    /**
     * Queries an entry of a port's partition key table.
     *
     * @param portNumber from 1
     * @param index from 0
     * @return 16 bits; 0xFFFF is the default partition with full membership
     */
    default int queryPartitionKey(int portNumber, int index) {
        throw RdmaVerbsException.notSupported("ibv_query_pkey", deviceName(), "This provider has no partition keys");
    }

    /**
     * Allocates zeroed memory on huge pages, which the device can register with fewer translations.
     *
     * @param arena owns the memory
     * @param bytes the size; the last page may be used in part
     * @return the memory
     * @throws RdmaVerbsException if there are not enough huge pages; the message states the number of free pages and
     *     how to reserve more
     */
    default MemorySegment allocateHugePages(Arena arena, long bytes) {
        throw RdmaVerbsException.notSupported(
                "mmap(MAP_HUGETLB)", deviceName(), "This provider does not use huge pages: use Arena.allocate");
    }

    /**
     * Allocates zeroed memory for work requests. For a device that does not pin memory, the kernel may allocate the
     * pages at the first access. The default implementation calls {@link Arena#allocate(long, long)}, which writes
     * zeros to all of it.
     *
     * @param arena owns the memory
     * @param bytes the size
     * @return the memory; it begins at a page boundary
     */
    default MemorySegment allocateMemory(Arena arena, long bytes) {
        return arena.allocate(bytes, 4096);
    }

    /**
     * Allocates zeroed memory for data that peers READ. A provider may allocate it so that peers on the same host can
     * map it once it is registered. The default implementation returns ordinary memory.
     *
     * @param arena owns the memory
     * @param bytes the size
     * @return the memory; it begins at a page boundary
     */
    default MemorySegment allocateLendable(Arena arena, long bytes) {
        return arena.allocate(bytes, 4096);
    }

    /**
     * Reads the counters that the device keeps for a port.
     *
     * @param portNumber from 1
     * @return the values by the device's own counter names, always the same names; empty if the device has no counters
     */
    default Map<String, Long> counters(int portNumber) {
        return Map.of();
    }

    /** Closes all open objects that were created from the device, then the device. A second call does nothing. */
    @Override
    void close();
}
