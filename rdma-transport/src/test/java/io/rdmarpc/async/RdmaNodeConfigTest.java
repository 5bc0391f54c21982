package io.rdmarpc.async;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.connect.ConnectionSettings;
import io.rdmarpc.verbs.error.RdmaConfigurationException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.concurrent.Executor;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A node's configuration")
class RdmaNodeConfigTest {

    private static final RdmaNodeConfig DEFAULTS = RdmaNodeConfig.DEFAULTS;

    @Test
    void shouldKeepUnchangedSettings() {
        Executor callbacks = Runnable::run;

        RdmaNodeConfig config = DEFAULTS.withProvider("soft", Map.of("soft.port", "0"))
                .withDevice("soft0", 2, 3)
                .withPolling(PollingMode.MANUAL, callbacks)
                .withQueues(4, 5, 6, 7)
                .withConnection(ConnectionSettings.DEFAULTS)
                .withTimeouts(Duration.ofSeconds(8), Duration.ofSeconds(9));

        assertThat(config)
                .isEqualTo(new RdmaNodeConfig(
                        new RdmaNodeConfig.Device("soft", "soft0", 2, 3, Map.of("soft.port", "0")),
                        PollingMode.MANUAL,
                        callbacks,
                        new RdmaNodeConfig.Queues(4, 5, 6, 7),
                        ConnectionSettings.DEFAULTS,
                        new RdmaNodeConfig.Timeouts(Duration.ofSeconds(8), Duration.ofSeconds(9))));
    }

    @Test
    void shouldWaitAboutHalfASecondForAReceiveByDefault() {
        ConnectionSettings settings = DEFAULTS.connection();

        assertThat(settings.access()).hasSize(3).contains(AccessFlag.REMOTE_ATOMIC);
        assertThat(settings.retries()).isEqualTo(new ConnectionSettings.Retries(14, 7, 6, 26));
        assertThat(settings.reads()).isEqualTo(ConnectionSettings.DEFAULTS.reads());
        assertThat(settings.path()).isEqualTo(ConnectionSettings.DEFAULTS.path());
    }

    @Test
    void shouldRejectInvalidValues() {
        Duration second = Duration.ofSeconds(1);

        assertRejects("port", () -> DEFAULTS.withDevice("auto", 0, 0));
        assertRejects("send-depth", () -> DEFAULTS.withQueues(0, 1, 1, 1));
        assertRejects("receive-depth", () -> DEFAULTS.withQueues(1, 0, 1, 1));
        assertRejects("backlog", () -> DEFAULTS.withQueues(1, 1, -1, 1));
        assertRejects("completions", () -> DEFAULTS.withQueues(1, 1, 1, 0));
        assertRejects("connect-timeout", () -> DEFAULTS.withTimeouts(Duration.ZERO, second));
        assertRejects("close-timeout", () -> DEFAULTS.withTimeouts(second, ChronoUnit.FOREVER.getDuration()));
    }

    private static void assertRejects(String setting, ThrowingCallable change) {
        assertThatExceptionOfType(RdmaConfigurationException.class)
                .isThrownBy(change)
                .satisfies(e -> assertThat(e.setting()).isEqualTo(setting));
    }
}
