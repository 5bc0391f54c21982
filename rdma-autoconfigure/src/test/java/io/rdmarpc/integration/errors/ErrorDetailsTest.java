package io.rdmarpc.integration.errors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdmarpc.integration.app.TestApplication;
import io.rdmarpc.rpc.error.RdmaErrorDetails;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.service.CallOptions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.web.client.RestClient;

@Timeout(120)
@DisplayName("Details of failures, in one process")
class ErrorDetailsTest {

    private static final String DEBUG = "rdma.server.error.include-debug=true";

    @Nested
    @DisplayName("with the serializer of classes")
    class Kryo extends WithSerializer {

        Kryo() {
            super("rdma.serialization.format=kryo");
        }
    }

    @Nested
    @DisplayName("with fields that may be added and removed")
    class Evolving extends WithSerializer {

        Evolving() {
            super("rdma.serialization.evolution=compatible");
        }
    }

    @Nested
    @DisplayName("with JSON")
    class Json extends WithSerializer {

        Json() {
            super("rdma.serialization.format=json");
        }
    }

    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    abstract static class WithSerializer extends ErrorDetailsCases {

        private final String format;
        private ConfigurableApplicationContext server;
        private ConfigurableApplicationContext edge;

        WithSerializer(String format) {
            this.format = format;
        }

        @BeforeAll
        void start() {
            server = TestApplication.run(DeskApplication.Server.class, DEBUG, format);
            edge = DeskApplication.edge("127.0.0.1:" + TestApplication.port(server), format);
        }

        @AfterAll
        void stop() {
            if (edge != null) {
                edge.close();
            }
            server.close();
        }

        @Override
        ConfigurableApplicationContext edge() {
            return edge;
        }
    }

    @Test
    void whenTheServerDoesNotPermitDebugTextsThenNoneArrives() {
        try (ConfigurableApplicationContext server = TestApplication.run(DeskApplication.Server.class);
                ConfigurableApplicationContext edge =
                        DeskApplication.edge("127.0.0.1:" + TestApplication.port(server))) {
            Desk desk = edge.getBean(Desk.class);

            RdmaRpcException failure = CallOptions.debugDetails()
                    .call(() -> catchThrowableOfType(RdmaRpcException.class, () -> desk.fail("other")));

            assertThat(failure.errorDetails()).isEqualTo(RdmaErrorDetails.NONE);
        }
    }

    @Test
    void whenTheEdgeIncludesDebugTextsThenTheResponseHasTheOneOfTheServer() {
        try (ConfigurableApplicationContext server = TestApplication.run(DeskApplication.Server.class, DEBUG);
                ConfigurableApplicationContext edge = DeskApplication.edge(
                        "127.0.0.1:" + TestApplication.port(server),
                        "rdma.client.problem-details.include-details=false",
                        "rdma.client.problem-details.include-debug=true")) {
            String body = RestClient.create()
                    .get()
                    .uri(DeskApplication.url(edge, "/debug/debug"))
                    .exchange((_, response) -> response.bodyTo(String.class));

            assertThat(body)
                    .contains("\"debug\":\"the plan of the hall is empty\"")
                    .doesNotContain("NO_SEATS");
        }
    }
}
