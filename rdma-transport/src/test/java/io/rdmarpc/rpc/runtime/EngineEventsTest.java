package io.rdmarpc.rpc.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.events.FlightRecording;
import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.RpcServer;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.config.RpcConfig;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import jdk.jfr.consumer.RecordedEvent;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("An engine records for the Flight Recorder")
@Timeout(120)
class EngineEventsTest {

    @Test
    @DisplayName("when the number of polling threads grows and shrinks")
    void whenTheNumberOfEnginesChangesThenItIsRecorded() {
        RpcConfig config = Runtimes.PATIENT;
        try (FlightRecording recording = FlightRecording.of("PollingThreads");
                RdmaRuntime runtime =
                        RdmaRuntime.open(Runtimes.nic(), config, PollingConfig.DEFAULTS.withMaxThreads(4))) {
            runtime.scaler().resize(2);
            Runtimes.await("a second engine", () -> runtime.scaling().active() == 2);
            runtime.scaler().resize(1);
            Runtimes.await("one engine", () -> runtime.scaling().active() == 1);

            List<RecordedEvent> changes = recording.events();
            assertThat(changes).extracting(change -> change.getInt("previous")).startsWith(1, 2);
            assertThat(changes).extracting(change -> change.getInt("active")).startsWith(2, 1);
            assertThat(changes.getFirst().getString("reason")).isEqualTo("they were saturated");
            assertThat(changes.getFirst().getDouble("utilization")).isBetween(0.0, 1.0);
        }
    }

    @Test
    @DisplayName("when it retransmits a request")
    void whenARequestIsLostThenItsRetransmissionIsRecorded() {
        try (FlightRecording recording = FlightRecording.of("Retransmission");
                RdmaRuntime server = Runtimes.open(SoftLink.UDP.options());
                RdmaRuntime client = Runtimes.open(SoftLink.UDP.options("soft.faults.script=drop 2 UD"))) {
            server.export(Echo.export(Runnable::run));
            try (RpcServer listening = Runtimes.listen(server)) {
                RpcSession session = Runtimes.channel(client, listening).session(Runtimes.LONG);
                for (int i = 0; i < 4; i++) {
                    Runtimes.echo(session, 32);
                }

                assertThat(recording.events()).anySatisfy(sent -> {
                    assertThat(sent.getString("message")).isEqualTo("request");
                    assertThat(sent.getString("peer"))
                            .isEqualTo("127.0.0.1:" + listening.address().getPort());
                    assertThat(sent.getInt("sends")).isOne();
                    assertThat(sent.getDuration("timeout")).isPositive();
                    assertThat(sent.getDuration("sinceFirstSend"))
                            .isGreaterThanOrEqualTo(sent.getDuration("timeout"))
                            .isLessThan(Runtimes.LONG);
                });
            }
        }
    }

    @Test
    @DisplayName("when a client reconnects to a server that was restarted")
    void whenAServerIsRestartedThenTheReconnectIsRecorded() {
        int port = Runtimes.stablePort();
        try (FlightRecording recording = FlightRecording.of("Reconnect");
                RdmaRuntime client = Runtimes.open()) {
            RpcChannel channel = Runtimes.channel(client, port);
            try (RdmaRuntime server = Runtimes.open()) {
                server.export(Echo.export(Runnable::run));
                server.listen(new InetSocketAddress(Runtimes.LOOPBACK, port));
                Runtimes.echo(channel.session(Runtimes.LONG), 32);
            }
            try (RdmaRuntime server = Runtimes.open()) {
                server.export(Echo.export(Runnable::run));
                server.listen(new InetSocketAddress(Runtimes.LOOPBACK, port));
                Runtimes.await("the session", channel::isConnected);
                Runtimes.await("the event", () -> !recording.events().isEmpty());

                assertThat(recording.events()).anySatisfy(reconnect -> {
                    assertThat(reconnect.getString("target")).isEqualTo("test");
                    assertThat(reconnect.getString("reason")).matches(".*the server is (stopping|closing).*");
                    assertThat(reconnect.getString("failure")).isNull();
                    assertThat(reconnect.getDuration()).isBetween(Duration.ofNanos(1), Runtimes.LONG);
                });
            }
        }
    }
}
