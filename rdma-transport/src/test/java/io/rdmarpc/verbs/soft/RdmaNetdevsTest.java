package io.rdmarpc.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.soft.port.LocalGidTable;
import java.io.IOException;
import java.net.NetworkInterface;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RdmaNetdevsTest {

    @TempDir
    private Path devices;

    private void add(String device, String port, String index, String netdev) throws IOException {
        Path directory = Files.createDirectories(
                devices.resolve(device).resolve("ports").resolve(port).resolve("gid_attrs/ndevs"));
        Files.writeString(directory.resolve(index), netdev);
    }

    @Test
    void shouldNameInterfacesOfAllDevicesAndPorts() throws IOException {
        add("mlx5_0", "1", "0", "eth0\n");
        add("mlx5_0", "1", "1", "eth0.5\n");
        add("mlx5_1", "2", "0", "eth1\n");
        // An unused entry, which cannot be read in sysfs.
        Files.createDirectories(devices.resolve("mlx5_1/ports/2/gid_attrs/ndevs/1"));
        add("mlx5_1", "2", "2", "");
        assertThat(RdmaNetdevs.in(devices)).containsExactly("eth0", "eth0.5", "eth1");
    }

    @Test
    void whenThereIsNoRdmaThenThereAreNoInterfaces() {
        assertThat(RdmaNetdevs.in(devices.resolve("nowhere"))).isEmpty();
    }

    @Test
    void shouldShareAnInterfaceOnlyWithItsDevice() throws IOException {
        LocalGidTable gids = LocalGidTable.of(List.of(TestNode.LOOPBACK));
        String loopback = NetworkInterface.getByInetAddress(TestNode.LOOPBACK).getName();
        assertThat(new KernelNeighbor(Set.of(loopback, "eth9")).sharesInterface(gids))
                .isTrue();
        assertThat(new KernelNeighbor(Set.of("eth9")).sharesInterface(gids)).isFalse();
    }
}
