package io.rdmarpc.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.cli.Finding.Level;
import java.net.DatagramSocket;
import java.net.SocketException;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("The doctor looks at the port of RoCE v2 and finds it")
class SoftPortCheckTest {

    @TempDir
    private Path root;

    @Test
    void taken() throws SocketException {
        try (DatagramSocket other = new DatagramSocket()) {
            Finding finding = new SoftPortCheck(new HostFiles(root), other.getLocalPort()).run();

            assertThat(finding.level()).isEqualTo(Level.WARN);
            assertThat(finding.text()).contains("UDP port " + other.getLocalPort() + " is taken: the software RNIC");
            assertThat(finding.remedy()).contains("rdma.soft.port");
        }
    }

    @Test
    void takenByTheKernel() throws SocketException {
        FakeHost host = new FakeHost(root).directory("sys/module/rdma_rxe");
        try (DatagramSocket other = new DatagramSocket()) {
            assertThat(new SoftPortCheck(host.files(), other.getLocalPort())
                            .run()
                            .text())
                    .contains("is taken (by the kernel's rdma_rxe)");
        }
    }

    @Test
    void free() {
        assertThat(new SoftPortCheck(new HostFiles(root), 0).run().level()).isEqualTo(Level.OK);
    }
}
