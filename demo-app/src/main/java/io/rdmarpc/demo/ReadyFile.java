package io.rdmarpc.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.annotation.Profile;
import org.springframework.context.event.EventListener;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;

/**
 * Writes the ports on which this process listens, RDMA and HTTP if present, to the file that the start script reads.
 */
@Component
@Profile({"server", "page", "cache"})
class ReadyFile {

    private final DemoProperties properties;

    ReadyFile(DemoProperties properties) {
        this.properties = properties;
    }

    @EventListener
    void onReady(ApplicationReadyEvent event) throws IOException {
        Path file = properties.readyFile();
        if (file != null) {
            Environment environment = event.getApplicationContext().getEnvironment();
            String ports = Stream.of("local.rdma.server.port", "local.server.port")
                    .filter(environment::containsProperty)
                    .map(environment::getRequiredProperty)
                    .collect(Collectors.joining("\n", "", "\n"));
            Path written = Files.writeString(file.resolveSibling(file.getFileName() + ".new"), ports);
            Files.move(written, file);
        }
    }
}
