package io.rdmarpc.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.integration.app.Orders;
import io.rdmarpc.integration.app.TestApplication;
import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.ResponseHandler;
import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.error.RdmaContractException;
import io.rdmarpc.rpc.error.RdmaMessageTooLargeException;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.message.InboundMessage;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.service.RdmaSerializationException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;

/** Formats and limits between two applications. */
@Timeout(60)
class SerializationTest {

    private static final Orders.Order ORDER =
            new Orders.Order("Ada", List.of(new Orders.LineItem("pen", 2, new BigDecimal("1.50"))));

    @Test
    void bothSidesSpeakJson() {
        String json = "rdma.serialization.format=json";
        try (ConfigurableApplicationContext server = TestApplication.run(TestApplication.Server.class, json);
                ConfigurableApplicationContext client = TestApplication.client(server, json)) {
            Orders orders = client.getBean(Orders.class);
            assertThat(orders.place(ORDER).customer()).isEqualTo("Ada");
            assertThat(orders.echo(new byte[2 << 20])).hasSize(2 << 20);
        }
    }

    @Test
    void twoFormatsDoNotTalk() {
        try (ConfigurableApplicationContext server =
                        TestApplication.run(TestApplication.Server.class, "rdma.serialization.evolution=compatible");
                ConfigurableApplicationContext client = TestApplication.client(server)) {
            assertThatExceptionOfType(RdmaContractException.class)
                    .isThrownBy(() -> client.getBean(Orders.class).add(1, 2))
                    .withMessageContaining(
                            "type (serializer) is Kryo, form 4, references=false at the client and Kryo, form 4,"
                                    + " references=false, evolving at the server");
        }
    }

    @Test
    void anEvolvingPairTalks() {
        String evolving = "rdma.serialization.evolution=compatible";
        try (ConfigurableApplicationContext server = TestApplication.run(TestApplication.Server.class, evolving);
                ConfigurableApplicationContext client = TestApplication.client(server, evolving)) {
            assertThat(client.getBean(Orders.class).place(ORDER).customer()).isEqualTo("Ada");
        }
    }

    private static RdmaRpcException rejection(RpcSession session, byte[] bytes) throws Exception {
        MessageBuffer message = session.allocate(bytes.length);
        message.byteBuffer().put(bytes);
        message.length(bytes.length);
        CompletableFuture<RdmaRpcException> end = new CompletableFuture<>();
        String place = Orders.Receipt.class.getName() + " place(" + Orders.Order.class.getName() + ")";
        session.call(ServiceContract.methodId("test.Orders", place), message, 5_000_000_000L, new ResponseHandler() {
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
        return end.get(10, TimeUnit.SECONDS);
    }

    @Test
    void hostileBytesEndTheirCallAndNotTheSession() throws Exception {
        try (ConfigurableApplicationContext server = TestApplication.run(TestApplication.Server.class);
                ConfigurableApplicationContext client = TestApplication.client(server)) {
            InetSocketAddress there = InetSocketAddress.createUnresolved("127.0.0.1", TestApplication.port(server));
            try (RpcChannel channel = client.getBean(RdmaRuntime.class).channel("raw", there)) {
                RpcSession session = channel.session(Duration.ofSeconds(5));
                byte[] sizeOfAList = {1, 1, 22, -16, 127, -1, -1, -1};
                byte[] unknownClass = {1, 1, 127};
                byte[] nameOfAClass = {1, 1, 1, 0, 3, 'x'};
                for (byte[] hostile : List.of(sizeOfAList, unknownClass, nameOfAClass, new byte[300])) {
                    assertThat(rejection(session, hostile))
                            .isNotNull()
                            .hasMessageContaining("cannot read the arguments of test.Orders.place");
                }
                assertThat(session.isOpen()).isTrue();
            }
            assertThat(client.getBean(Orders.class).add(1, 2)).isEqualTo(3);
        }
    }

    /** Cheap bytes and expensive objects, as arguments and as a result. */
    @ParameterizedTest
    @ValueSource(strings = {"kryo", "json"})
    void valuesOverTheBudgetEndTheirCallAndNotTheSession(String format) {
        String setting = "rdma.serialization.format=" + format;
        Orders.Order hostile = new Orders.Order(
                "Ada", List.of(new Orders.LineItem("pen", 1, new BigDecimal(BigInteger.ONE, 40_000_000))));
        Orders.Order large = new Orders.Order(
                "Ada", Collections.nCopies(3_000, new Orders.LineItem("pen", 1, new BigDecimal("1.50"))));
        try (ConfigurableApplicationContext server = TestApplication.run(
                        TestApplication.Server.class, setting, "rdma.serialization.max-elements=2000");
                ConfigurableApplicationContext client =
                        TestApplication.client(server, setting, "rdma.serialization.max-scale=5")) {
            Orders orders = client.getBean(Orders.class);
            rejects(orders, hostile, "a scale of 40000000", "rdma.serialization.max-scale");
            rejects(orders, large, "; raise rdma.serialization.max-elements");
            assertThat(orders.place(ORDER).customer()).isEqualTo("Ada");
            Orders.Order precise =
                    new Orders.Order("Ada", List.of(new Orders.LineItem("pen", 1, new BigDecimal("1.123456"))));
            assertThatExceptionOfType(RdmaSerializationException.class)
                    .isThrownBy(() -> orders.place(precise))
                    .withMessageContaining("cannot read the result of test.Orders.place")
                    .withMessageContaining("a scale of 6: the limit is -5 to 5");
            assertThat(orders.add(1, 2)).isEqualTo(3);
        }
    }

    private static void rejects(Orders orders, Orders.Order order, String... words) {
        assertThatExceptionOfType(RdmaRpcException.class)
                .isThrownBy(() -> orders.place(order))
                .withMessageContaining("cannot read the arguments of test.Orders.place")
                .withMessageContainingAll(words)
                .satisfies(rejected -> assertThat(rejected.status()).isEqualTo(RpcStatus.INVALID_REQUEST));
    }

    @Test
    void limitsOfEachSideEndTheCallAndNotTheSession() {
        try (ConfigurableApplicationContext server =
                        TestApplication.run(TestApplication.Server.class, "rdma.serialization.max-size=64KB");
                ConfigurableApplicationContext client = TestApplication.client(server)) {
            Orders orders = client.getBean(Orders.class);
            assertThat(orders.echo(new byte[60_000])).hasSize(60_000);
            assertThatExceptionOfType(RdmaRpcException.class)
                    .isThrownBy(() -> orders.echo(new byte[100_000]))
                    .withMessageContaining("rdma.serialization.max-size");
            assertThat(orders.add(1, 2)).isEqualTo(3);
        }
        try (ConfigurableApplicationContext server = TestApplication.run(TestApplication.Server.class);
                ConfigurableApplicationContext client =
                        TestApplication.client(server, "rdma.serialization.max-size=64KB")) {
            Orders orders = client.getBean(Orders.class);
            assertThatExceptionOfType(RdmaMessageTooLargeException.class)
                    .isThrownBy(() -> orders.echo(new byte[100_000]))
                    .withMessageContaining("rdma.serialization.max-size");
            assertThat(orders.add(1, 2)).isEqualTo(3);
        }
    }
}
