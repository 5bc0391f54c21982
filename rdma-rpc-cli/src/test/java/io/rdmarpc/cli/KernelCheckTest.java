package io.rdmarpc.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.rdmarpc.cli.Finding.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("The doctor's check of the kernel")
class KernelCheckTest {

    @TempDir
    private Path root;

    private FakeHost host;

    @BeforeEach
    void makeHost() {
        host = new FakeHost(root);
    }

    private Finding only() {
        List<Finding> findings = new KernelCheck(host.files()).run();
        assertThat(findings).hasSize(1);
        return findings.getFirst();
    }

    private Finding last() {
        return new KernelCheck(host.files()).run().getLast();
    }

    private void withDevice() {
        host.directory("sys/class/infiniband/mlx5_0").directory("sys/class/infiniband_verbs/uverbs0");
    }

    @Test
    void whenThereIsNoDeviceAndNoSoftRoceThenItFails() {
        assertThat(only().level()).isEqualTo(Level.FAIL);
        assertThat(only().text()).contains("no RDMA device").contains("no module rdma_rxe");
        assertThat(only().remedy()).contains("kernel-modules-extra").contains("rdma.provider=soft");
    }

    @Test
    void whenSoftRoceIsNotLoadedThenItSaysHow() {
        host.file("proc/sys/kernel/osrelease", "6.1.0\n")
                .file("lib/modules/6.1.0/modules.dep", "kernel/drivers/infiniband/sw/rxe/rdma_rxe.ko.xz: a.ko\n");

        assertThat(only().level()).isEqualTo(Level.FAIL);
        assertThat(only().remedy()).contains("modprobe rdma_rxe").contains("rdma link add rxe0 type rxe netdev");
    }

    @Test
    void whenSoftRoceLacksItsChecksumThenItSaysHow() {
        host.directory("sys/module/rdma_rxe").file("proc/crypto", "name         : crc32c\n");

        assertThat(only().text()).contains("rdma_rxe is loaded");
        assertThat(only().remedy()).contains("rdma link add").contains("modprobe crc32_generic first");
    }

    @Test
    void whenSoftRoceHasItsChecksumThenItDoesNotMentionIt() {
        host.directory("sys/module/rdma_rxe").file("proc/crypto", "name         : crc32\n");

        assertThat(only().remedy()).contains("rdma link add").doesNotContain("crc32");
    }

    @Test
    void whenUserSpaceHasNoDeviceThenItFails() {
        host.directory("sys/class/infiniband/mlx5_0");

        assertThat(last().level()).isEqualTo(Level.FAIL);
        assertThat(last().remedy()).isEqualTo("modprobe ib_uverbs");
    }

    @Test
    void whenAContainerHasNoDeviceFilesThenItFails() {
        withDevice();
        host.file(".dockerenv", "");

        assertThat(last().level()).isEqualTo(Level.FAIL);
        assertThat(last().text()).isEqualTo("/dev/infiniband/uverbs0 is missing");
        assertThat(last().remedy()).contains("start the container with --device=/dev/infiniband");
    }

    @Test
    void whenAHostHasNoDeviceFilesThenItFails() {
        withDevice();

        assertThat(last().remedy()).startsWith("start udev");
    }

    @Test
    void whenTheUserHasNoRightsThenItFails() {
        withDevice();
        host.file("dev/infiniband/uverbs0", "");
        Path file = root.resolve("dev/infiniband/uverbs0");
        assertThat(file.toFile().setReadable(false, false)).isTrue();
        assertThat(file.toFile().setWritable(false, false)).isTrue();
        assumeFalse(Files.isReadable(file), "root may read everything");

        assertThat(last().level()).isEqualTo(Level.FAIL);
        assertThat(last().remedy()).contains("chmod a+rw /dev/infiniband/uverbs0");
    }

    @Test
    void whenADeviceIsUsableThenItIsOk() {
        withDevice();
        host.file("dev/infiniband/uverbs0", "");

        assertThat(new KernelCheck(host.files()).run())
                .extracting(Finding::level)
                .containsExactly(Level.OK, Level.OK);
    }
}
