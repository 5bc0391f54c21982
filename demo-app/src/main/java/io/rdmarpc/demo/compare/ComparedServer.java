package io.rdmarpc.demo.compare;

import io.rdmarpc.demo.grpc.GrpcServer;
import java.io.IOException;
import java.io.InputStream;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Profile;
import org.springframework.context.event.EventListener;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;

/** Reports the port of a server to the comparison, and ends the process when the comparison has ended. */
@Component
@Profile("compared & server")
class ComparedServer {

    private final ObjectProvider<GrpcServer> grpc;

    ComparedServer(ObjectProvider<GrpcServer> grpc) {
        this.grpc = grpc;
    }

    @EventListener
    void onReady(ApplicationReadyEvent event) {
        ConfigurableApplicationContext application = event.getApplicationContext();
        Thread.ofPlatform().daemon().name("comparison-end").start(() -> closeAtEnd(application, System.in));
        System.out.println(ComparedProcess.MARK + port(application.getEnvironment()));
    }

    private int port(Environment environment) {
        GrpcServer server = grpc.getIfAvailable();
        if (server != null) {
            return server.port();
        }
        String web = environment.getProperty("local.server.port");
        return Integer.parseInt(web != null ? web : environment.getRequiredProperty("local.rdma.server.port"));
    }

    private static void closeAtEnd(ConfigurableApplicationContext application, InputStream commands) {
        try {
            while (commands.read() >= 0) {
                // The comparison sends nothing to servers.
            }
        } catch (IOException _) {
            // The comparison has ended.
        }
        application.close();
    }
}
