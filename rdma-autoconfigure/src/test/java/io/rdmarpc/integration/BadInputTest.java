package io.rdmarpc.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.annotation.RdmaService;
import io.rdmarpc.integration.app.TestApplication;
import io.rdmarpc.rpc.SessionSnapshot;
import io.rdmarpc.rpc.error.RdmaRemoteException;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.service.CallContext;
import io.rdmarpc.service.ClientCallContext;
import io.rdmarpc.service.RdmaClientInterceptor;
import io.rdmarpc.service.RdmaSerializationException;
import io.rdmarpc.service.RdmaServerInterceptor;
import io.rdmarpc.service.ServerCallContext;
import io.rdmarpc.service.contract.ServiceMethod;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

@Timeout(60)
@DisplayName("What cannot travel between two applications ends its call, and the session lives on")
class BadInputTest {

    private static final int NOTHING = -1;

    private static ConfigurableApplicationContext server;
    private static ConfigurableApplicationContext client;
    private static Depot depot;

    private List<Long> sessions;

    @RdmaService(name = "test.Depot")
    public interface Depot {

        Object keep(Object thing);

        /** Gives what no serializer has heard of. */
        Object strange();

        /** Gives a list that is in itself. */
        Object endless();

        int half(int number);
    }

    private static final class DepotBean implements Depot {

        @Override
        public Object keep(Object thing) {
            return thing;
        }

        @Override
        public Object strange() {
            return new StringJoiner(",");
        }

        @Override
        public Object endless() {
            return cycle();
        }

        @Override
        public int half(int number) {
            return number / 2;
        }
    }

    private static List<Object> cycle() {
        List<Object> self = new ArrayList<>();
        self.add(self);
        return self;
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class DepotApplication {

        @Bean
        Depot depot() {
            return new DepotBean();
        }

        /** Takes what the bean says about 0 for nothing. */
        @Bean
        RdmaServerInterceptor nothingForZero() {
            return new RdmaServerInterceptor() {
                @Override
                public Object intercept(ServerCallContext call, CallContext.Next next) throws Throwable {
                    Object result = next.proceed();
                    return Integer.valueOf(0).equals(result) ? null : result;
                }
            };
        }
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class DepotClient {

        /** Takes -1 for nothing. */
        @Bean
        RdmaClientInterceptor nothingForMinusOne() {
            return new RdmaClientInterceptor() {
                @Override
                public Object intercept(ClientCallContext call, CallContext.Next next) throws Throwable {
                    if (Integer.valueOf(NOTHING).equals(call.arguments()[0])) {
                        call.arguments()[0] = null;
                    }
                    return next.proceed();
                }

                @Override
                public boolean appliesTo(ServiceMethod method) {
                    return method.name().equals("half");
                }
            };
        }
    }

    @BeforeAll
    static void start() {
        server = TestApplication.run(DepotApplication.class);
        client = TestApplication.run(
                DepotClient.class,
                "rdma.client.targets.default.address=127.0.0.1:" + TestApplication.port(server),
                "rdma.client.timeout=10s");
        depot = client.getBean(Depot.class);
    }

    @AfterAll
    static void stop() {
        client.close();
        server.close();
    }

    private static List<Long> sessions() {
        return client.getBean(RdmaRuntime.class).sessions().stream()
                .map(SessionSnapshot::id)
                .toList();
    }

    @BeforeEach
    void connect() {
        assertThat(depot.half(4)).isEqualTo(2);
        sessions = sessions();
    }

    @AfterEach
    void theSessionIsTheSame() {
        assertThat(depot.keep("a thing")).isEqualTo("a thing");
        assertThat(sessions()).isEqualTo(sessions).hasSize(1);
    }

    @Test
    void anArgumentOfAClassThatMayNotTravelIsNamedToTheCaller() {
        assertThatExceptionOfType(RdmaSerializationException.class)
                .isThrownBy(() -> depot.keep(new StringJoiner(",")))
                .withMessageContaining("java.util.StringJoiner is not in the service's contract");
    }

    @Test
    void aResultOfAClassThatMayNotTravelIsNamedToTheCaller() {
        assertThatExceptionOfType(RdmaRpcException.class)
                .isThrownBy(depot::strange)
                .withMessageContaining("java.util.StringJoiner is not in the service's contract");
    }

    @Test
    void anArgumentWithACycleEndsInWords() {
        assertThatExceptionOfType(RdmaSerializationException.class)
                .isThrownBy(() -> depot.keep(cycle()))
                .withMessageContaining("Max depth exceeded");
    }

    @Test
    void aResultWithACycleEndsInWords() {
        assertThatExceptionOfType(RdmaRpcException.class)
                .isThrownBy(depot::endless)
                .withMessageContaining("Max depth exceeded");
    }

    @Test
    void nullForAPrimitiveArgumentIsNotSent() {
        assertThatExceptionOfType(RdmaSerializationException.class)
                .isThrownBy(() -> depot.half(NOTHING))
                .withMessageContaining("the value of a primitive type is null");
    }

    @Test
    void nullForAPrimitiveResultIsAFailureOfTheServer() {
        assertThatExceptionOfType(RdmaRemoteException.class)
                .isThrownBy(() -> depot.half(0))
                .withMessageContaining("the value of a primitive type is null");
    }
}
