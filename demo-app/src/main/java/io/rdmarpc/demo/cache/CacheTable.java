package io.rdmarpc.demo.cache;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;

/**
 * Entries in memory that peers read. A key has one bucket, which a reader takes whole: a GET is one READ.
 *
 * <pre>
 *   0                 2 KiB
 *   +-----------------+-----------------+----
 *   | bucket 0        | bucket 1        | ...      a bucket has 4 slots of 512 bytes
 *   +-----------------+-----------------+----
 * </pre>
 *
 * A full bucket loses its oldest entry. Any thread.
 */
final class CacheTable {

    static final int WAYS = 4;
    static final int BUCKET_BYTES = WAYS * CacheEntry.SLOT_BYTES;

    private static final int STRIPES = 64;

    private final MemorySegment memory;
    private final int buckets;
    private final AtomicLong lastVersion = new AtomicLong();
    private final Object[] locks =
            IntStream.range(0, STRIPES).mapToObj(_ -> new Object()).toArray();

    /**
     * Makes a table of zeroed memory.
     *
     * @param memory at least one bucket
     */
    CacheTable(MemorySegment memory) {
        this.memory = memory;
        this.buckets = Math.toIntExact(memory.byteSize() / BUCKET_BYTES);
    }

    /** Both sides find a key's bucket the same way. */
    static int bucketOf(byte[] key, int buckets) {
        CRC32C hash = new CRC32C();
        hash.update(key, 0, key.length);
        return (int) (hash.getValue() % buckets);
    }

    static byte[] bytes(String key) {
        return key.getBytes(StandardCharsets.UTF_8);
    }

    int buckets() {
        return buckets;
    }

    void put(String name, byte[] value) {
        byte[] key = bytes(name);
        int bucket = bucketOf(key, buckets);
        synchronized (locks[bucket % STRIPES]) {
            CacheEntry.write(slot(bucket, wayFor(key, copy(bucket))), lastVersion.incrementAndGet(), key, value);
        }
    }

    private MemorySegment slot(int bucket, int way) {
        return memory.asSlice((long) bucket * BUCKET_BYTES + (long) way * CacheEntry.SLOT_BYTES, CacheEntry.SLOT_BYTES);
    }

    private byte[] copy(int bucket) {
        return memory.asSlice((long) bucket * BUCKET_BYTES, BUCKET_BYTES).toArray(ValueLayout.JAVA_BYTE);
    }

    /** Its own, else the one of the oldest version: an empty one has version 0. */
    private int wayFor(byte[] key, byte[] entries) {
        int oldest = 0;
        long oldestVersion = Long.MAX_VALUE;
        for (int way = 0; way < WAYS; way++) {
            int at = way * CacheEntry.SLOT_BYTES;
            if (CacheEntry.read(entries, at, key).state() == CacheEntry.State.HIT) {
                return way;
            }
            long version = CacheEntry.version(entries, at);
            if (version < oldestVersion) {
                oldestVersion = version;
                oldest = way;
            }
        }
        return oldest;
    }

    /** As a call finds it, with the writers kept away. */
    Optional<byte[]> get(String name) {
        byte[] key = bytes(name);
        int bucket = bucketOf(key, buckets);
        synchronized (locks[bucket % STRIPES]) {
            return Optional.ofNullable(find(copy(bucket), key).value());
        }
    }

    /** Looks through a copy of a bucket. Torn when one entry was, which may have been the one. */
    static CacheEntry.Seen find(byte[] entries, byte[] key) {
        CacheEntry.Seen last = new CacheEntry.Seen(CacheEntry.State.OTHER, null);
        for (int at = 0; at < BUCKET_BYTES; at += CacheEntry.SLOT_BYTES) {
            CacheEntry.Seen seen = CacheEntry.read(entries, at, key);
            if (seen.state() == CacheEntry.State.HIT) {
                return seen;
            }
            last = seen.state() == CacheEntry.State.TORN ? seen : last;
        }
        return last;
    }
}
