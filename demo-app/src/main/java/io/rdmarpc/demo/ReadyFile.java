package io.rdmarpc.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.annotation.Profile;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/** Tells the script that started the server where it listens. */
@Component
@Profile("server")
class ReadyFile {

    private final DemoProperties properties;

    ReadyFile(DemoProperties properties) {
        this.properties = properties;
    }

    @EventListener
    void onReady(ApplicationReadyEvent event) throws IOException {
        Path file = properties.readyFile();
        if (file != null) {
            String port = event.getApplicationContext().getEnvironment().getRequiredProperty("local.rdma.server.port");
            Path written = Files.writeString(file.resolveSibling(file.getFileName() + ".new"), port + "\n");
            Files.move(written, file);
        }
    }
}
