package io.rdmarpc.demo.cache;

import io.rdmarpc.annotation.RdmaService;
import io.rdmarpc.remote.lease.RegionToken;
import java.util.Optional;

/** A cache. A client attaches once and then reads the table by RDMA READs, without a call. */
@RdmaService
public interface CacheService {

    /** Grants read access to the table. */
    Attachment attach();

    /** Sets an entry. Key and value have at most 492 bytes together. */
    void put(String key, byte[] value);

    /** Finds an entry by a call, for comparison with RDMA READs. */
    Optional<byte[]> get(String key);

    /** Returns the cost of serving the cache so far. */
    Usage usage();

    /**
     * The values that a client needs to read the table.
     *
     * @param table token that opens the table's region
     * @param buckets number of buckets of the table
     */
    record Attachment(RegionToken table, int buckets) {}

    /**
     * The cost of serving the cache since the start of the process.
     *
     * @param calls number of put and get calls that ran on application threads
     * @param processCpuNanos CPU time of the whole process in nanoseconds, which includes the work of the software RNIC
     */
    record Usage(long calls, long processCpuNanos) {}
}
