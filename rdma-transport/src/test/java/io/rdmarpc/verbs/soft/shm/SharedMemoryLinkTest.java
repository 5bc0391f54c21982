package io.rdmarpc.verbs.soft.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.ffi.NativeAccess;
import io.rdmarpc.verbs.soft.link.LinkContract;
import io.rdmarpc.verbs.soft.link.PacketLink;
import io.rdmarpc.verbs.soft.link.UdpLink;
import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** The contract of every link, with shared memory. */
class SharedMemoryLinkTest extends LinkContract {

    private static final int LARGE_RING = 16 << 20;

    private final List<HostLink> links = new ArrayList<>();
    private SharedDirectory directory;

    /** Returns whether anonymous memory is passed. */
    boolean passesMemory() {
        return NativeAccess.isGranted();
    }

    @BeforeEach
    void open() throws IOException {
        directory = SharedDirectory.create(passesMemory());
    }

    @Override
    protected PacketLink open(List<InetAddress> addresses, int port) throws IOException {
        HostLink link =
                directory.around(UdpLink.open(addresses, port), LARGE_RING, addresses.toArray(InetAddress[]::new));
        links.add(link);
        return link;
    }

    @AfterEach
    void allCameThroughMemory() throws IOException {
        long sent = links.stream().mapToLong(link -> link.counters().sent()).sum();
        assertThat(links.stream().mapToLong(link -> link.counters().received()).sum())
                .isEqualTo(sent);
        assertThat(links.stream().mapToLong(link -> link.counters().lost()).sum())
                .isZero();
        assertThat(directory.files()).isEmpty();
        directory.close();
    }
}
