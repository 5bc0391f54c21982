package io.rdmarpc.integration.app;

import org.springframework.context.ConfigurableApplicationContext;

/** The same without our part, to know what others keep. */
public final class PlainApplication {

    private PlainApplication() {}

    public static void run() {
        try (ConfigurableApplicationContext context =
                TestApplication.run(TestApplication.Server.class, "rdma.enabled=false")) {
            if (!context.isRunning()) {
                throw new IllegalStateException("the context does not run");
            }
        }
    }
}
