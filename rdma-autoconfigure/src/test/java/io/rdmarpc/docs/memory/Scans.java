package io.rdmarpc.docs.memory;

import io.rdmarpc.annotation.RdmaService;
import io.rdmarpc.async.LocalRegion;
import io.rdmarpc.remote.RegionGrant;
import io.rdmarpc.remote.RegionToken;
import io.rdmarpc.remote.RemoteRegion;
import io.rdmarpc.remote.RemoteRight;
import io.rdmarpc.service.memory.RdmaListener;
import io.rdmarpc.service.memory.RdmaTemplate;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Set;
import org.springframework.util.unit.DataSize;

/** What the page on remote memory shows. */
final class Scans {

    private static final Duration LEASE = Duration.ofMinutes(1);

    private Scans() {}

    @RdmaService
    public interface ScanService {

        /** The scan stays with the caller; the service reads what it needs. */
        long brightest(RegionToken scan);
    }

    static final class Scanner implements ScanService {

        private final RdmaTemplate memory;

        Scanner(RdmaTemplate memory) {
            this.memory = memory;
        }

        @Override
        public long brightest(RegionToken scan) {
            try (RemoteRegion pixels = memory.open(scan);
                    LocalRegion here = memory.allocateLocal(DataSize.ofBytes(pixels.length()))) {
                pixels.read(0, here.slice());
                long most = 0;
                for (byte pixel : here.slice().toBytes()) {
                    most = Math.max(most, Byte.toUnsignedLong(pixel));
                }
                return most;
            }
        }

        @RdmaListener
        void onWrite(MemorySegment region, int tag) {
            System.out.println("a peer has written, and says " + tag + " of " + region.byteSize() + " bytes");
        }
    }

    static long send(RdmaTemplate memory, ScanService scans, MemorySegment scan) {
        try (LocalRegion local = memory.register(scan)) {
            RegionGrant grant = memory.grant("default", local.slice(), Set.of(RemoteRight.READ), LEASE);
            return scans.brightest(grant.token());
        }
    }

    static long count(RdmaTemplate memory) {
        try (RemoteRegion counters = memory.allocate("default", DataSize.ofKilobytes(4), LEASE)) {
            return memory.getAndAdd(counters, 0, 1);
        }
    }
}
