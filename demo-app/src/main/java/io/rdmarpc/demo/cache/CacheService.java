package io.rdmarpc.demo.cache;

import io.rdmarpc.annotation.RdmaService;
import io.rdmarpc.remote.lease.RegionToken;
import java.util.Optional;

/** A cache. GETs need no call: a client attaches once, and then reads the table itself. */
@RdmaService
public interface CacheService {

    /** Lends the table for reading. */
    Attachment attach();

    /** Sets an entry; key and value have at most 492 bytes together. */
    void put(String key, byte[] value);

    /** Finds an entry by a call, for comparison. */
    Optional<byte[]> get(String key);

    /** What serving has cost. */
    Usage usage();

    /**
     * What a client needs to read the table.
     *
     * @param table opens it
     * @param buckets how many it has
     */
    record Attachment(RegionToken table, int buckets) {}

    /**
     * What serving has cost since the start.
     *
     * @param calls of put and get that ran on threads of the application
     * @param processCpuNanos processor time of the whole process: the software RNIC works there, too
     */
    record Usage(long calls, long processCpuNanos) {}
}
