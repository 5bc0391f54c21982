package io.rdmarpc.demo.cache;

import com.sun.management.OperatingSystemMXBean;
import io.rdmarpc.async.LocalRegion;
import io.rdmarpc.remote.lease.RemoteRight;
import io.rdmarpc.service.memory.RemoteMemoryTemplate;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Service;
import org.springframework.util.unit.DataSize;

/** The server: a table in registered memory that clients read. */
@Service
@Profile("cache")
class CacheStore implements CacheService {

    private static final DataSize SIZE = DataSize.ofMegabytes(32);
    private static final Duration LEASE = Duration.ofMinutes(30);

    private final RemoteMemoryTemplate memory;
    private final LocalRegion region;
    private final CacheTable table;
    private final AtomicLong calls = new AtomicLong();
    private final OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    CacheStore(RemoteMemoryTemplate memory) {
        this.memory = memory;
        this.region = memory.allocateLocal(SIZE);
        this.table = new CacheTable(region.slice().writable());
    }

    @Override
    public Attachment attach() {
        return new Attachment(
                memory.grant(region.slice(), Set.of(RemoteRight.READ), LEASE).token(), table.buckets());
    }

    @Override
    public void put(String key, byte[] value) {
        calls.incrementAndGet();
        table.put(key, value);
    }

    @Override
    public Optional<byte[]> get(String key) {
        calls.incrementAndGet();
        return table.get(key);
    }

    @Override
    public Usage usage() {
        return new Usage(calls.get(), system.getProcessCpuTime());
    }
}
