package io.rdmarpc.docs.memory;

import io.rdmarpc.annotation.RdmaService;
import io.rdmarpc.async.LocalRegion;
import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.remote.RemoteRegion;
import io.rdmarpc.remote.lease.RemoteRight;
import io.rdmarpc.service.client.MessageBuffers;
import io.rdmarpc.service.memory.RemoteMemoryTemplate;
import io.rdmarpc.service.memory.RemoteWriteListener;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Set;
import org.springframework.util.unit.DataSize;

/** The code that the page on remote memory shows. */
final class Scans {

    private static final Duration LEASE = Duration.ofMinutes(1);

    private Scans() {}

    @RdmaService
    public interface ScanService {

        /** The scan stays in the caller's memory, and the service reads it from there. */
        long brightest(RemoteRegion scan);

        /** The message consists of the bytes of the scan, without serialization. */
        MessageBuffer inverted(MessageBuffer scan);
    }

    static final class Scanner implements ScanService {

        private final RemoteMemoryTemplate memory;

        Scanner(RemoteMemoryTemplate memory) {
            this.memory = memory;
        }

        @Override
        public long brightest(RemoteRegion scan) {
            try (scan;
                    LocalRegion here = memory.allocateLocal(DataSize.ofBytes(scan.length()))) {
                scan.read(0, here.slice());
                long most = 0;
                for (byte pixel : here.slice().toBytes()) {
                    most = Math.max(most, Byte.toUnsignedLong(pixel));
                }
                return most;
            }
        }

        @Override
        public MessageBuffer inverted(MessageBuffer scan) {
            MessageBuffer result = MessageBuffers.forResult(scan.length());
            for (int i = 0; i < scan.length(); i++) {
                byte pixel = scan.segment().get(ValueLayout.JAVA_BYTE, i);
                result.segment().set(ValueLayout.JAVA_BYTE, i, (byte) ~pixel);
            }
            result.length(scan.length());
            return result;
        }

        @RemoteWriteListener
        void onWrite(MemorySegment region, int tag) {
            System.out.println("a peer has written to a region of " + region.byteSize() + " bytes, tag " + tag);
        }
    }

    static long send(RemoteMemoryTemplate memory, ScanService scans, MemorySegment scan) {
        try (LocalRegion local = memory.register(scan);
                RemoteRegion lent = memory.lend(local.slice(), Set.of(RemoteRight.READ), LEASE)) {
            return scans.brightest(lent);
        }
    }

    static int invert(ScanService scans, MemorySegment scan) {
        int bytes = (int) scan.byteSize();
        MessageBuffer message = MessageBuffers.forArgument(scans, bytes);
        message.segment().copyFrom(scan);
        message.length(bytes);
        try (MessageBuffer inverted = scans.inverted(message)) {
            return Byte.toUnsignedInt(inverted.segment().get(ValueLayout.JAVA_BYTE, 0));
        }
    }

    static long count(RemoteMemoryTemplate memory) {
        try (RemoteRegion counters = memory.allocate("default", DataSize.ofKilobytes(4), LEASE)) {
            return memory.getAndAdd(counters, 0, 1);
        }
    }
}
