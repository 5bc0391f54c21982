package io.rdmarpc.rpc.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.transport.NicContext;
import io.rdmarpc.verbs.error.RdmaConfigurationException;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The number of engines of a device")
class EngineLimitTest {

    @Test
    @DisplayName("is limited by the device's queue pairs")
    void whenThereAreMoreThanQueuePairsThenTheyAreRejected() {
        assertThatExceptionOfType(RdmaConfigurationException.class)
                .isThrownBy(() -> new EngineLimit("mlx5_0", 3, 64).check(4, 4))
                .withMessageContaining("rdma.polling.threads = 4")
                .withMessageContaining("device mlx5_0 has 3 queue pairs")
                .withMessageContaining("Use at most 3");
    }

    @Test
    @DisplayName("is limited by the device's completion vectors")
    void whenThereAreMoreThanCompletionVectorsThenTheyAreRejected() {
        assertThatExceptionOfType(RdmaConfigurationException.class)
                .isThrownBy(() -> new EngineLimit("mlx5_0", 1000, 2).check(4, 4))
                .withMessageContaining("rdma.polling.threads = 4")
                .withMessageContaining("device mlx5_0 has 2 completion vectors")
                .withMessageContaining("Use at most 2");
    }

    @Test
    @DisplayName("is reduced to the device's limits if it follows the load")
    void whenItFollowsTheLoadThenItStaysWithinTheLimits() {
        assertThat(new EngineLimit("mlx5_0", 1000, 2).check(1, 16)).isEqualTo(2);
        assertThat(new EngineLimit("mlx5_0", 3, 64).check(1, 16)).isEqualTo(3);
        assertThat(new EngineLimit("mlx5_0", 1000, 64).check(1, 16)).isEqualTo(16);
        assertThat(new EngineLimit("mlx5_0", 1000, 64).check(4, 1)).isEqualTo(4);
    }

    @Test
    @DisplayName("is not limited by completion vectors at the software RNIC, which has no interrupts")
    void whenItIsTheSoftwareRnicThenVectorsDoNotMatter() {
        try (NicContext nic = NicContext.open(Runtimes.nic())) {
            assertThat(EngineLimit.of(nic).check(PollingConfig.MAX_THREADS, 1)).isEqualTo(PollingConfig.MAX_THREADS);
        }
    }

    @Test
    @DisplayName("cannot follow the load if each thread is bound to a processor")
    void whenThreadsAreBoundThenTheNumberIsFixed() {
        assertThatExceptionOfType(RdmaConfigurationException.class)
                .isThrownBy(() -> PollingConfig.DEFAULTS.withCpus(List.of(2, 3)).withMaxThreads(4))
                .withMessageContaining("rdma.polling.threads = auto")
                .withMessageContaining("rdma.polling.cpus")
                .withMessageContaining("Use 2 threads");
    }

    @Test
    @DisplayName("is a quarter of the processors at most, and at least 1")
    void shouldLeaveThreeQuartersOfTheProcessorsToOthers() {
        assertThat(List.of(1, 2, 7, 8, 16, 1024).stream().map(PollingConfig::maxThreadsFor))
                .containsExactly(1, 1, 1, 2, 4, 64);
    }
}
