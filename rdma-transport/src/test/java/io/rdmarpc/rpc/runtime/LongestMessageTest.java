package io.rdmarpc.rpc.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.rpc.RpcServer;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.error.RdmaMessageTooLargeException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(180)
@DisplayName("The longest message with default settings")
class LongestMessageTest {

    private static final int LONGEST = 64 << 20;

    @ParameterizedTest(name = "is echoed, one byte more is rejected at allocation: {0}")
    @ValueSource(strings = {"soft.shared-memory.enabled=true", "soft.shared-memory.enabled=false"})
    void whenAMessageHas64MibThenItIsEchoed(String link) {
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
                RdmaRuntime serving = Runtimes.open(Runtimes.PATIENT, link);
                RdmaRuntime calling = Runtimes.open(Runtimes.PATIENT, link)) {
            serving.export(Echo.export(executor));
            RpcServer server = Runtimes.listen(serving);
            RpcSession session = Runtimes.channel(calling, server).session(Runtimes.LONG);

            Runtimes.echo(session, LONGEST);

            assertThat(session.maxMessageBytes()).isEqualTo(LONGEST);
            assertThatExceptionOfType(RdmaMessageTooLargeException.class)
                    .isThrownBy(() -> session.allocate(LONGEST + 1));
        }
    }
}
