package io.rdmarpc.integration.memory;

import io.rdmarpc.async.LocalRegion;
import io.rdmarpc.remote.RemoteRegion;
import io.rdmarpc.remote.lease.RegionToken;
import io.rdmarpc.remote.lease.RemoteRight;
import io.rdmarpc.remote.lease.WriteNotification;
import io.rdmarpc.service.memory.RemoteMemoryTemplate;
import io.rdmarpc.service.memory.RemoteWriteListener;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.util.unit.DataSize;

/** Works on its callers' memory, lends its own, and listens. */
final class BlobStore implements Blobs {

    static final Duration LEASE = Duration.ofMinutes(5);

    private final RemoteMemoryTemplate memory;
    private final LocalRegion board;
    private final List<String> written = new CopyOnWriteArrayList<>();

    BlobStore(RemoteMemoryTemplate memory, LocalRegion board) {
        this.memory = memory;
        this.board = board;
    }

    @Override
    public long sum(RegionToken data) {
        try (RemoteRegion region = memory.open(data);
                LocalRegion local = memory.allocateLocal(DataSize.ofBytes(region.length()))) {
            region.read(0, local.slice());
            long sum = 0;
            for (byte each : local.slice().toBytes()) {
                sum += each;
            }
            return sum;
        }
    }

    @Override
    public Lent lend(int bytes, byte first) {
        LocalRegion local = memory.allocateLocal(DataSize.ofBytes(bytes));
        byte[] content = new byte[bytes];
        for (int i = 0; i < bytes; i++) {
            content[i] = (byte) (first + i);
        }
        local.slice().put(content);
        RegionToken token =
                memory.grant(local.slice(), Set.of(RemoteRight.READ), LEASE).token();
        local.close();
        return new Lent(token, first);
    }

    @Override
    public RegionToken board() {
        return memory.grant(board.slice(), Set.of(RemoteRight.WRITE, RemoteRight.NOTIFY), LEASE)
                .token();
    }

    @Override
    public List<String> written() {
        return List.copyOf(written);
    }

    @RemoteWriteListener(region = "board")
    void onBoard(int tag, MemorySegment content, UUID peer) {
        written.add("board " + tag + ": " + content.get(ValueLayout.JAVA_LONG, 0) + (peer == null ? " ?" : ""));
    }

    @RemoteWriteListener
    void onElsewhere(WriteNotification notice) {
        written.add("elsewhere " + notice.tag() + " of " + notice.bytes() + " bytes");
    }
}
