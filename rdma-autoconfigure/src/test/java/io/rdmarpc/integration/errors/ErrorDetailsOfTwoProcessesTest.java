package io.rdmarpc.integration.errors;

import io.rdmarpc.integration.app.ServerProcess;
import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;

@Timeout(120)
@DisplayName("Details of failures, between two JVMs")
@Tag("processes")
class ErrorDetailsOfTwoProcessesTest {

    @Nested
    @DisplayName("over shared memory")
    class SharedMemory extends OverLink {

        SharedMemory() {
            super("true");
        }
    }

    @Nested
    @DisplayName("over UDP")
    class Udp extends OverLink {

        Udp() {
            super("false");
        }
    }

    /** The same calls over each link. */
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    abstract static class OverLink extends ErrorDetailsCases {

        private final String link;
        private ServerProcess server;
        private ConfigurableApplicationContext edge;

        OverLink(String sharedMemory) {
            this.link = "rdma.soft.shared-memory.enabled=" + sharedMemory;
        }

        @BeforeAll
        void start() throws IOException {
            server = ServerProcess.start(DeskApplication.Server.class, link, "rdma.server.error.include-debug=true");
            edge = DeskApplication.edge(server.address(), link, "rdma.client.timeout=20s");
        }

        @AfterAll
        void stop() {
            if (edge != null) {
                edge.close();
            }
            if (server != null) {
                server.close();
            }
        }

        @Override
        ConfigurableApplicationContext edge() {
            return edge;
        }
    }
}
