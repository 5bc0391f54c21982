package io.rdmarpc.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.rdmarpc.annotation.RdmaService;
import io.rdmarpc.integration.app.Orders;
import io.rdmarpc.integration.app.TestApplication;
import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.ResponseHandler;
import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.error.RdmaContractException;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.message.InboundMessage;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.service.server.RdmaServer;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;

/** Two sides that do not agree: rejected before the first call, in words that say where they differ. */
@Timeout(60)
class ContractMismatchTest {

    private static ConfigurableApplicationContext server;

    @BeforeAll
    static void start() {
        server = TestApplication.run(TestApplication.Server.class);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @AutoConfigurationPackage(basePackageClasses = io.rdmarpc.integration.old.Orders.class)
    static class OldClient {}

    @RdmaService(name = "test.Missing")
    public interface Missing {
        void call();
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Outsider {}

    private static String address() {
        return "rdma.client.targets.default.address=127.0.0.1:" + TestApplication.port(server);
    }

    @Test
    void anInterfaceThatDiffersIsRejectedWithTheDifference() {
        try (ConfigurableApplicationContext client = TestApplication.run(OldClient.class, address())) {
            io.rdmarpc.integration.old.Orders orders = client.getBean(io.rdmarpc.integration.old.Orders.class);
            Throwable rejection = catchThrowable(() -> orders.cancel("1"));
            assertThat(rejection)
                    .isInstanceOf(RdmaContractException.class)
                    .hasMessageContaining("test.Orders.cancel at default")
                    .hasMessageContaining("void cancel(java.lang.String)")
                    .hasMessageContaining("no method cancel");
        }
    }

    /** The service as a release knows it whose line items count in longs and have a note, not a price. */
    private static ServiceContract ofAnotherRelease(ServiceContract contract) {
        return new ServiceContract(
                contract.name(),
                contract.methods(),
                contract.types().stream()
                        .map(type -> type.name().equals(Orders.LineItem.class.getName())
                                ? new ServiceContract.Type(
                                        type.name(),
                                        "record(article: java.lang.String, count: long, note: java.lang.String)")
                                : type)
                        .toList());
    }

    @Test
    void aFieldThatDiffersIsNamedWithBothTypesAndTheSessionLivesOn() {
        ServiceContract other =
                ofAnotherRelease(server.getBean(RdmaServer.class).contracts().getFirst());
        try (ConfigurableApplicationContext client = TestApplication.client(server)) {
            InetSocketAddress there = InetSocketAddress.createUnresolved("127.0.0.1", TestApplication.port(server));
            try (RpcChannel channel = client.getBean(RdmaRuntime.class).channel("raw", there)) {
                RpcSession session = channel.session(Duration.ofSeconds(5));
                assertThatExceptionOfType(RdmaContractException.class)
                        .isThrownBy(() -> channel.verify(session, other))
                        .withMessageContaining("type " + Orders.LineItem.class.getName() + " differs")
                        .withMessageContaining("count is long at the client and int at the server")
                        .withMessageContaining("only the client has note, only the server has price");
                assertThat(session.isOpen()).isTrue();
            }
        }
    }

    @Test
    void aServiceThatIsNotOfferedIsNamed() {
        try (ConfigurableApplicationContext client = TestApplication.run(Outsider.class, address())) {
            assertThatExceptionOfType(RdmaContractException.class)
                    .isThrownBy(() -> client.getBean(Missing.class).call())
                    .withMessageContaining("does not export service test.Missing")
                    .withMessageContaining("test.Orders");
        }
    }

    @Test
    void anUnknownMethodIsRejected() throws Exception {
        try (ConfigurableApplicationContext client = TestApplication.client(server)) {
            RdmaRuntime runtime = client.getBean(RdmaRuntime.class);
            InetSocketAddress there = InetSocketAddress.createUnresolved("127.0.0.1", TestApplication.port(server));
            try (RpcChannel channel = runtime.channel("raw", there)) {
                RpcSession session = channel.session(Duration.ofSeconds(5));
                MessageBuffer empty = session.allocate(1);
                CompletableFuture<RdmaRpcException> end = new CompletableFuture<>();
                session.call(12345, empty, 5_000_000_000L, new ResponseHandler() {
                    @Override
                    public void onResponse(InboundMessage response) {
                        response.close();
                        end.complete(null);
                    }

                    @Override
                    public void onFailure(RdmaRpcException failure) {
                        end.complete(failure);
                    }
                });
                assertThat(end.get(10, TimeUnit.SECONDS))
                        .isInstanceOf(RdmaContractException.class)
                        .hasMessageContaining("no method with id 0x3039");
            }
            assertThat(client.getBean(Orders.class).add(1, 2)).isEqualTo(3);
        }
    }
}
