package io.rdmarpc.migration.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.rdmarpc.annotation.RdmaClient;
import io.rdmarpc.migration.MigrationApplication;
import io.rdmarpc.migration.grpc.ServiceState.State;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RpcStatus;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

@Timeout(120)
@DisplayName("A gRPC service that is an RDMA service as well")
class GrpcMigrationTest {

    private static ConfigurableApplicationContext server;
    private static ConfigurableApplicationContext client;
    private static Server grpc;
    private static ManagedChannel channel;

    /** The transport of a call. */
    enum Transport {
        GRPC,
        RDMA
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(StateBoard.class)
    static class States {}

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Caller {

        @Bean
        ByRdma byRdma(@RdmaClient ServiceState states) {
            return new ByRdma(states);
        }
    }

    record ByRdma(ServiceState states) {}

    @BeforeAll
    static void start() throws IOException {
        server = MigrationApplication.server(States.class, "none");
        StateBoard board = server.getBean(StateBoard.class);
        board.set("orders", State.SERVING);
        grpc = NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .addService(new HealthOverGrpc(board))
                .build()
                .start();
        channel = NettyChannelBuilder.forAddress(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), grpc.getPort()))
                .usePlaintext()
                .build();
        client = MigrationApplication.client(Caller.class, server);
    }

    @AfterAll
    static void stop() {
        channel.shutdownNow();
        grpc.shutdownNow();
        client.close();
        server.close();
    }

    private static ServiceState states(Transport transport) {
        return switch (transport) {
            case GRPC -> new StateByGrpc(HealthGrpc.newBlockingStub(channel));
            case RDMA -> client.getBean(ByRdma.class).states();
        };
    }

    @ParameterizedTest
    @EnumSource
    void whenAServiceIsKnownThenBothTransportsReturnTheSame(Transport transport) {
        assertThat(states(transport).check("orders")).isEqualTo(State.SERVING);
        try (Stream<State> watched = states(transport).watch("orders")) {
            assertThat(watched.toList()).isEqualTo(List.of(State.SERVING, State.NOT_SERVING));
        }
    }

    @ParameterizedTest
    @EnumSource
    void whenAServiceIsUnknownThenBothFailWithTheSameStatusAndMessage(Transport transport) {
        assertThatExceptionOfType(RdmaRpcException.class)
                .isThrownBy(() -> states(transport).check("nobody"))
                .withMessageContaining("unknown service nobody")
                .satisfies(e -> assertThat(e.status()).isEqualTo(RpcStatus.NOT_FOUND));
    }
}
