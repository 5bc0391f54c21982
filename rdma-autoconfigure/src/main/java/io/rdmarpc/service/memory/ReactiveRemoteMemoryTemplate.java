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
 * {@link RemoteMemoryTemplate} with Reactor. Nothing happens before a mono is subscribed to, and again with each subscription. What
 * follows a read, write or atomic runs on a polling thread: {@code publishOn} before anything that waits. Any thread.
 */
public final class ReactiveRemoteMemoryTemplate {

    private final RemoteMemoryTemplate template;

    /**
     * Creates the template.
     *
     * @param template does the work
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
     * @param target its name
     * @param size how much, over 0
     * @param rights what is to be done with it
     * @param lease how long, over 0; the owner may give less
     * @return the region, to be freed by the caller; given back when the subscription is cancelled before
     */
    public Mono<RemoteRegion> allocate(String target, DataSize size, Set<RemoteRight> rights, Duration lease) {
        return mono(() -> template.allocateAsync(target, size, rights, lease));
    }

    /**
     * Opens what a target has granted.
     *
     * @param target its name
     * @param token from that peer; it opens once
     * @return the region, to be freed by the caller
     */
    public Mono<RemoteRegion> open(String target, RegionToken token) {
        return mono(() -> template.openAsync(target, token));
    }

    /**
     * Opens what a peer has granted that there is a connection to.
     *
     * @param token from that peer; it opens once
     * @return the region, to be freed by the caller
     */
    public Mono<RemoteRegion> open(RegionToken token) {
        return mono(() -> template.openAsync(token));
    }

    /**
     * Allocates memory for as long as something is done with it.
     *
     * @param target its name
     * @param size how much, over 0
     * @param lease how long, over 0; the owner may give less
     * @param use what is done
     * @param <T> what comes of it
     * @return what came of it, after the region was given back
     */
    public <T> Mono<T> using(
            String target, DataSize size, Duration lease, Function<? super RemoteRegion, Mono<T>> use) {
        return Mono.usingWhen(allocate(target, size, RemoteMemoryTemplate.USUAL, lease), use, this::free);
    }

    /**
     * Reads.
     *
     * @param region what
     * @param offset from which byte
     * @param bytes how many
     * @return the bytes
     */
    public Mono<byte[]> read(RemoteRegion region, long offset, int bytes) {
        return mono(() -> template.readAsync(region, offset, bytes));
    }

    /**
     * Reads into own memory, without a copy.
     *
     * @param region what
     * @param offset from which byte
     * @param into where to; not to be touched until the end, also when the subscription is cancelled
     * @return empty when the bytes are there
     */
    public Mono<Void> read(RemoteRegion region, long offset, LocalSlice into) {
        return mono(() -> template.readAsync(region, offset, into));
    }

    /**
     * Writes.
     *
     * @param region where to
     * @param offset to which byte
     * @param bytes what
     * @return empty when the owner's NIC has them
     */
    public Mono<Void> write(RemoteRegion region, long offset, byte[] bytes) {
        return mono(() -> template.writeAsync(region, offset, bytes));
    }

    /**
     * Writes own memory, without a copy.
     *
     * @param region where to
     * @param offset to which byte
     * @param from the bytes; may be read but not written until the end
     * @return empty when the owner's NIC has them
     */
    public Mono<Void> write(RemoteRegion region, long offset, LocalSlice from) {
        return mono(() -> template.writeAsync(region, offset, from));
    }

    /**
     * Writes, and has the owner's {@link RemoteWriteListener} called.
     *
     * @param region where to, with rights {@code WRITE} and {@code NOTIFY}
     * @param offset to which byte
     * @param from the bytes, may be empty; may be read but not written until the end
     * @param tag what the listener is to know, 0 to 65535
     * @return empty when the owner's NIC has them
     */
    public Mono<Void> writeWithNotify(RemoteRegion region, long offset, LocalSlice from, int tag) {
        return mono(() -> template.writeWithNotifyAsync(region, offset, from, tag));
    }

    /**
     * Replaces 8 bytes when they are as expected.
     *
     * @param region where
     * @param offset of the first byte, a multiple of 8
     * @param expected what must be there
     * @param update what replaces it
     * @return the value found
     */
    public Mono<Long> compareAndSwap(RemoteRegion region, long offset, long expected, long update) {
        return mono(() -> template.compareAndSwapAsync(region, offset, expected, update));
    }

    /**
     * Adds to 8 bytes.
     *
     * @param region where
     * @param offset of the first byte, a multiple of 8
     * @param addend what to add
     * @return the value found before
     */
    public Mono<Long> getAndAdd(RemoteRegion region, long offset, long addend) {
        return mono(() -> template.getAndAddAsync(region, offset, addend));
    }

    /**
     * Runs a batch.
     *
     * @param batch made for each subscription
     * @return empty when all have ended
     */
    public Mono<Void> run(Supplier<RemoteBatch> batch) {
        return mono(() -> batch.get().startAsync());
    }

    /**
     * Gives a region back.
     *
     * @param region what; a slice stands for all of it
     * @return empty when the owner has it again
     */
    public Mono<Void> free(RemoteRegion region) {
        return mono(() -> template.freeAsync(region));
    }
}
