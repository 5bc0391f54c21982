package io.rdmarpc.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.cli.Finding.Level;
import java.net.DatagramSocket;
import java.net.SocketException;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("The doctor's check of the UDP port of RoCE v2")
class SoftPortCheckTest {

    @TempDir
    private Path root;

    @Test
    void whenThePortIsInUseThenItWarns() throws SocketException {
        try (DatagramSocket other = new DatagramSocket()) {
            Finding finding = new SoftPortCheck(new HostFiles(root), other.getLocalPort()).run();

            assertThat(finding.level()).isEqualTo(Level.WARN);
            assertThat(finding.text()).contains("UDP port " + other.getLocalPort() + " is in use: the software RNIC");
            assertThat(finding.remedy()).contains("rdma.soft.port");
        }
    }

    @Test
    void whenTheKernelUsesThePortThenItWarns() throws SocketException {
        FakeHost host = new FakeHost(root).directory("sys/module/rdma_rxe");
        try (DatagramSocket other = new DatagramSocket()) {
            assertThat(new SoftPortCheck(host.files(), other.getLocalPort())
                            .run()
                            .text())
                    .contains("is in use (by the kernel's rdma_rxe)");
        }
    }

    @Test
    void whenThePortIsFreeThenItIsOk() {
        assertThat(new SoftPortCheck(new HostFiles(root), 0).run().level()).isEqualTo(Level.OK);
    }
}
