package io.rdmarpc.demo.cache;

import io.rdmarpc.annotation.RdmaClient;
import io.rdmarpc.remote.RemoteRegion;
import io.rdmarpc.service.memory.RemoteMemoryTemplate;
import io.rdmarpc.verbs.error.RdmaException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;

/** The client: GETs are READs of a bucket, PUTs are calls. Thread-safe. */
@Component
@Profile("cache-client")
class RemoteCache {

    private static final String TARGET = "default";
    private static final int MOST_LOOKS = 100;

    private final CacheService service;
    private final RemoteMemoryTemplate memory;
    private final AtomicLong tornReads = new AtomicLong();
    private volatile @Nullable Table table;

    /** The server's table, valid until its lease ends. */
    private record Table(RemoteRegion region, int buckets) {}

    RemoteCache(@RdmaClient CacheService service, RemoteMemoryTemplate memory) {
        this.service = service;
        this.memory = memory;
    }

    void put(String key, byte[] value) {
        service.put(key, value);
    }

    /** Finds an entry by READs, without the server's CPU. After repeated torn reads it makes a call instead. */
    Optional<byte[]> get(String name) {
        byte[] key = CacheTable.bytes(name);
        for (int look = 0; look < MOST_LOOKS; look++) {
            CacheEntry.Seen seen = CacheTable.find(bucket(key), key);
            if (seen.state() != CacheEntry.State.TORN) {
                return Optional.ofNullable(seen.value());
            }
            tornReads.incrementAndGet();
        }
        return service.get(name);
    }

    /** Returns how many READs returned an entry that was being rewritten. */
    long tornReads() {
        return tornReads.get();
    }

    private byte[] bucket(byte[] key) {
        Table current = attached(null);
        try {
            return read(current, key);
        } catch (RdmaException over) {
            // The lease or the connection ended before or during the READ. Reading again is safe.
            return read(attached(current), key);
        }
    }

    private static byte[] read(Table from, byte[] key) {
        long at = (long) CacheTable.bucketOf(key, from.buckets()) * CacheTable.BUCKET_BYTES;
        return from.region().read(at, CacheTable.BUCKET_BYTES);
    }

    /** Returns the current table. Attaches if there is none, or if it is the one that has ended. */
    private Table attached(@Nullable Table ended) {
        Table current = table;
        return current == null || current.equals(ended) ? attachAgain(ended) : current;
    }

    private synchronized Table attachAgain(@Nullable Table ended) {
        Table current = table;
        if (current == null || current.equals(ended)) {
            CacheService.Attachment attachment = service.attach();
            current = new Table(memory.open(TARGET, attachment.table()), attachment.buckets());
            table = current;
        }
        return current;
    }
}
