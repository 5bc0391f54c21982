package io.rdmarpc.verbs.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("Posting without a system call")
class KernelDriverTest {

    @TempDir
    private Path sysfs;

    @ParameterizedTest(name = "by {0}: {1}")
    @CsvSource({"mlx5_core, true", "mlx4_core, true", "hfi1, false", "of-the-future, false"})
    void shouldDependOnTheDriverOfThePciDevice(String driver, boolean expected) throws IOException {
        Path target = Files.createDirectories(sysfs.resolve("drivers").resolve(driver));
        Files.createSymbolicLink(Files.createDirectory(sysfs.resolve("device")).resolve("driver"), target);

        assertThat(KernelDriver.postsSendsInUserSpace(sysfs)).isEqualTo(expected);
        assertThat(KernelDriver.postsReceivesInUserSpace(sysfs)).isEqualTo(expected);
    }

    @Test
    @DisplayName("for receives only by rxe, whose directory names its network interface")
    void shouldPostReceivesOfRxeInUserSpace() throws IOException {
        assertThat(KernelDriver.postsReceivesInUserSpace(sysfs)).isFalse();

        Files.writeString(sysfs.resolve("parent"), "eth0");

        assertThat(KernelDriver.postsReceivesInUserSpace(sysfs)).isTrue();
        assertThat(KernelDriver.postsSendsInUserSpace(sysfs)).isFalse();
    }

    @Test
    @DisplayName("not by a software device such as rxe0")
    void whenThereIsNoHardwareThenPostingNeedsASystemCall() {
        assertThat(KernelDriver.postsSendsInUserSpace(sysfs)).isFalse();
    }
}
