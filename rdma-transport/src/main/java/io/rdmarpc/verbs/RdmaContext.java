package io.rdmarpc.verbs;

import io.rdmarpc.verbs.attributes.DeviceAttributes;
import io.rdmarpc.verbs.attributes.GidEntry;
import io.rdmarpc.verbs.attributes.PortAttributes;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;

/** An open device ({@code struct ibv_context}). Any thread. */
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
     * @return read once at opening
     */
    DeviceAttributes attributes();

    /**
     * Asks for a port's attributes.
     *
     * @param portNumber from 1
     * @return its state now
     * @throws RdmaVerbsException when there is no such port
     */
    PortAttributes queryPort(int portNumber);

    /**
     * Lists a port's GID table.
     *
     * @param portNumber from 1
     * @return the used entries in the order of their index
     */
    List<GidEntry> gidTable(int portNumber);

    /**
     * Allocates a protection domain.
     *
     * @return the domain, to be closed by the caller
     */
    ProtectionDomain allocateProtectionDomain();

    /**
     * Creates a completion queue.
     *
     * @param entries completions it must hold
     * @return the queue, to be closed by the caller
     * @throws RdmaVerbsException when the device refuses, with its limit
     */
    CompletionQueue createCompletionQueue(int entries);

    /**
     * Creates a channel for completion events.
     *
     * @return the channel, to be closed by the caller
     * @throws RdmaVerbsException when the device has none
     */
    default CompletionChannel createCompletionChannel() {
        throw RdmaVerbsException.notSupported(
                "ibv_create_comp_channel", deviceName(), "This provider has no completion channels: poll the queue");
    }

    /**
     * Creates a completion queue whose events go to a channel.
     *
     * @param entries completions it must hold
     * @param channel a channel of this context
     * @return the queue, to be closed by the caller
     * @throws RdmaVerbsException when the device refuses, with its limit
     */
    default CompletionQueue createCompletionQueue(int entries, CompletionChannel channel) {
        throw RdmaVerbsException.notSupported(
                "ibv_create_cq", deviceName(), "This provider has no completion channels: create it without one");
    }

    /**
     * Tells a listener of the events of this device from now on. The first listener starts a daemon thread, which ends
     * with the context; a listener that is being called then is not waited for.
     *
     * <p>A {@link AsyncEventType#PORT_ACTIVE} that the device does not deliver is made up for: as long as a port is down
     * it is asked for its state each second. An event about an object that is being closed is dropped.
     *
     * @param listener called for each event
     * @return ends the subscription when closed
     */
    default Subscription onAsyncEvent(AsyncEventListener listener) {
        throw RdmaVerbsException.notSupported(
                "ibv_get_async_event", deviceName(), "This provider makes no asynchronous events");
    }

    /** Ends something that was asked for. Closing it a second time does nothing. */
    @FunctionalInterface
    interface Subscription extends AutoCloseable {

        @Override
        void close();
    }

    /**
     * Asks for an entry of a port's partition key table.
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
     * @param bytes how many; the last page may be used in part
     * @return the memory
     * @throws RdmaVerbsException when there are not enough huge pages, with how many are free and how to reserve more
     */
    default MemorySegment allocateHugePages(Arena arena, long bytes) {
        throw RdmaVerbsException.notSupported(
                "mmap(MAP_HUGETLB)", deviceName(), "This provider gains nothing from huge pages: use Arena.allocate");
    }

    /**
     * Allocates zeroed memory for work requests. A device that pins nothing may leave pages to the kernel until somebody touches
     * them; by default it is the JVM's memory, all of which is written at once.
     *
     * @param arena owns the memory
     * @param bytes how many
     * @return the memory; it begins at a page
     */
    default MemorySegment allocateMemory(Arena arena, long bytes) {
        return arena.allocate(bytes, 4096);
    }

    /**
     * Allocates zeroed memory for what peers are to READ. A device may let peers on the same host copy from it themselves
     * when it is registered; by default it is ordinary memory.
     *
     * @param arena owns the memory
     * @param bytes how many
     * @return the memory; it begins at a page
     */
    default MemorySegment allocateLendable(Arena arena, long bytes) {
        return arena.allocate(bytes, 4096);
    }

    /**
     * Reads the counters that the device keeps of a port.
     *
     * @param portNumber from 1
     * @return by the device's own names, empty where it has none; always the same names
     */
    default Map<String, Long> counters(int portNumber) {
        return Map.of();
    }

    /** Closes all that was made from the device and is still open, then the device. A second call does nothing. */
    @Override
    void close();
}
