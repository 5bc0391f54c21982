package io.rdmarpc.service.memory;

import io.rdmarpc.async.LocalSlice;
import io.rdmarpc.remote.RemoteBatch;
import io.rdmarpc.remote.RemoteRegion;
import io.rdmarpc.remote.lease.RegionToken;
import io.rdmarpc.remote.lease.RemoteRight;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.springframework.util.unit.DataSize;
import reactor.core.publisher.Mono;

/**
 * {@link RemoteMemoryTemplate} with Reactor types. Each subscription to a mono starts the operation. Operators after a
 * read, write or atomic run on a polling thread: use {@code publishOn} before an operator that blocks. Thread-safe.
 */
public final class ReactiveRemoteMemoryTemplate {

    private final RemoteMemoryTemplate template;

    /**
     * Creates the template.
     *
     * @param template runs the operations
     */
    public ReactiveRemoteMemoryTemplate(RemoteMemoryTemplate template) {
        this.template = template;
    }

    private static <T> Mono<T> mono(Supplier<CompletableFuture<T>> operation) {
        return Mono.fromFuture(operation);
    }

    /**
     * Allocates zeroed memory at a target.
     *
     * @param target the name of the target
     * @param size the size, at least 1 byte
     * @param rights the rights of this process
     * @param lease the duration, positive; the owner may shorten it
     * @return the region, to be freed by the caller; cancelling the subscription before the mono completes frees it
     */
    public Mono<RemoteRegion> allocate(String target, DataSize size, Set<RemoteRight> rights, Duration lease) {
        return mono(() -> template.allocateAsync(target, size, rights, lease));
    }

    /**
     * Opens a grant of a target.
     *
     * @param target the name of the target
     * @param token a token of that peer; it opens once
     * @return the region, to be freed by the caller
     */
    public Mono<RemoteRegion> open(String target, RegionToken token) {
        return mono(() -> template.openAsync(target, token));
    }

    /**
     * Opens a grant of a peer over an existing connection.
     *
     * @param token a token of that peer; it opens once
     * @return the region, to be freed by the caller
     */
    public Mono<RemoteRegion> open(RegionToken token) {
        return mono(() -> template.openAsync(token));
    }

    /**
     * Allocates memory, uses it, and frees it when the use has ended.
     *
     * @param target the name of the target
     * @param size the size, at least 1 byte
     * @param lease the duration, positive; the owner may shorten it
     * @param use uses the region
     * @param <T> the type of its result
     * @return the result, after the region was freed
     */
    public <T> Mono<T> using(
            String target, DataSize size, Duration lease, Function<? super RemoteRegion, Mono<T>> use) {
        return Mono.usingWhen(allocate(target, size, RemoteMemoryTemplate.USUAL, lease), use, this::free);
    }

    /**
     * Reads into an array.
     *
     * @param region the source
     * @param offset offset in the region in bytes
     * @param bytes how many bytes to read
     * @return the bytes
     */
    public Mono<byte[]> read(RemoteRegion region, long offset, int bytes) {
        return mono(() -> template.readAsync(region, offset, bytes));
    }

    /**
     * Reads into local memory, without a copy.
     *
     * @param region the source
     * @param offset offset in the region in bytes
     * @param into the destination; must not be accessed until the operation ends, even if the subscription is cancelled
     * @return completes empty when the bytes are in local memory
     */
    public Mono<Void> read(RemoteRegion region, long offset, LocalSlice into) {
        return mono(() -> template.readAsync(region, offset, into));
    }

    /**
     * Writes an array.
     *
     * @param region the destination
     * @param offset offset in the region in bytes
     * @param bytes the bytes
     * @return completes empty when the owner's NIC has the bytes
     */
    public Mono<Void> write(RemoteRegion region, long offset, byte[] bytes) {
        return mono(() -> template.writeAsync(region, offset, bytes));
    }

    /**
     * Writes local memory, without a copy.
     *
     * @param region the destination
     * @param offset offset in the region in bytes
     * @param from the bytes; may be read but not written until the operation ends
     * @return completes empty when the owner's NIC has the bytes
     */
    public Mono<Void> write(RemoteRegion region, long offset, LocalSlice from) {
        return mono(() -> template.writeAsync(region, offset, from));
    }

    /**
     * Writes, and notifies the owner's {@link RemoteWriteListener}.
     *
     * @param region the destination, with rights {@code WRITE} and {@code NOTIFY}
     * @param offset offset in the region in bytes
     * @param from the bytes, may be empty; may be read but not written until the operation ends
     * @param tag a number for the listener, 0 to 65535
     * @return completes empty when the owner's NIC has the bytes
     */
    public Mono<Void> writeWithNotify(RemoteRegion region, long offset, LocalSlice from, int tag) {
        return mono(() -> template.writeWithNotifyAsync(region, offset, from, tag));
    }

    /**
     * Replaces 8 bytes if they have an expected value.
     *
     * @param region the region
     * @param offset offset in the region in bytes, a multiple of 8
     * @param expected the expected value
     * @param update the new value
     * @return the original value
     */
    public Mono<Long> compareAndSwap(RemoteRegion region, long offset, long expected, long update) {
        return mono(() -> template.compareAndSwapAsync(region, offset, expected, update));
    }

    /**
     * Adds to 8 bytes.
     *
     * @param region the region
     * @param offset offset in the region in bytes, a multiple of 8
     * @param addend the number to add
     * @return the original value
     */
    public Mono<Long> getAndAdd(RemoteRegion region, long offset, long addend) {
        return mono(() -> template.getAndAddAsync(region, offset, addend));
    }

    /**
     * Runs a batch.
     *
     * @param batch creates the batch of each subscription
     * @return completes empty when all operations have ended
     */
    public Mono<Void> run(Supplier<RemoteBatch> batch) {
        return mono(() -> batch.get().startAsync());
    }

    /**
     * Frees a region.
     *
     * @param region the region; a slice frees all of it
     * @return completes empty when the owner has confirmed it
     */
    public Mono<Void> free(RemoteRegion region) {
        return mono(() -> template.freeAsync(region));
    }
}
