package io.rdmarpc.demo.cache;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;

/**
 * A hash table in memory that peers read. Each key belongs to one bucket. A reader fetches the whole bucket by one
 * READ.
 *
 * <pre>
 *   0                 2 KiB
 *   +-----------------+-----------------+----
 *   | bucket 0        | bucket 1        | ...      a bucket has 4 slots of 512 bytes
 *   +-----------------+-----------------+----
 * </pre>
 *
 * In a full bucket a new entry replaces the oldest one. Thread-safe.
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
     * Creates a table in zeroed memory.
     *
     * @param memory memory of at least one bucket
     */
    CacheTable(MemorySegment memory) {
        this.memory = memory;
        this.buckets = Math.toIntExact(memory.byteSize() / BUCKET_BYTES);
    }

    /** Returns the bucket of a key. Client and server use the same function. */
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

    /**
     * Returns the slot that has this key, or otherwise the slot with the oldest version. An empty slot has version 0.
     */
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

    /** Finds an entry for a call. Holds the bucket's lock, so that no writer changes the entry meanwhile. */
    Optional<byte[]> get(String name) {
        byte[] key = bytes(name);
        int bucket = bucketOf(key, buckets);
        synchronized (locks[bucket % STRIPES]) {
            return Optional.ofNullable(find(copy(bucket), key).value());
        }
    }

    /** Looks for a key in a copy of a bucket. Returns TORN if the key was not found and an entry was torn. */
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
