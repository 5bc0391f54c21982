package io.rdmarpc.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.integration.app.AotApplication;
import io.rdmarpc.integration.app.FreePort;
import io.rdmarpc.integration.app.JdkProgram;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplicationAotProcessor;

/** What {@code spring-boot:process-aot} does, by the same class that it runs, and a JVM that uses what came of it. */
@Timeout(180)
@Tag("processes")
class AheadOfTimeTest {

    /** Without Spring Cloud, whose refresh scope does not work ahead of time. */
    private static final String CLASS_PATH = Stream.of(
                    System.getProperty("java.class.path").split(File.pathSeparator, -1))
            .filter(entry -> !entry.contains("spring-cloud"))
            .collect(Collectors.joining(File.pathSeparator));

    @TempDir
    Path output;

    private void process(List<String> settings) throws Exception {
        List<String> arguments = new ArrayList<>(List.of(
                "-cp",
                CLASS_PATH,
                SpringApplicationAotProcessor.class.getName(),
                AotApplication.class.getName(),
                output.resolve("sources").toString(),
                output.resolve("classes").toString(),
                output.resolve("classes").toString(),
                "test",
                "aot"));
        arguments.addAll(settings);
        JdkProgram.run("java", arguments);
    }

    private void compile() throws Exception {
        List<String> arguments = new ArrayList<>(List.of(
                "-nowarn",
                "-proc:none",
                "-implicit:none",
                "-d",
                output.resolve("classes").toString(),
                "-cp",
                output.resolve("classes") + File.pathSeparator + CLASS_PATH));
        try (Stream<Path> sources = Files.walk(output.resolve("sources"))) {
            sources.filter(source -> source.toString().endsWith(".java"))
                    .map(Path::toString)
                    .forEach(arguments::add);
        }
        JdkProgram.run("javac", arguments);
    }

    @Test
    void anApplicationPreparedAheadOfTimeServesAndCalls() throws Exception {
        int port = FreePort.find();
        List<String> settings = List.of(
                "--spring.main.web-application-type=none",
                "--rdma.provider=soft",
                "--rdma.soft.addresses=127.0.0.1",
                "--rdma.server.address=127.0.0.1",
                "--rdma.server.port=" + port,
                "--rdma.client.targets.default.address=127.0.0.1:" + port);
        process(settings);
        compile();

        List<String> arguments = new ArrayList<>(List.of(
                "-Dspring.aot.enabled=true",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                output.resolve("classes") + File.pathSeparator + CLASS_PATH,
                AotApplication.class.getName()));
        arguments.addAll(settings);
        assertThat(JdkProgram.run("java", arguments))
                .contains("AOT-processed")
                .contains("sum 42 by test.Orders at default (127.0.0.1:" + port + "), local is OrdersImpl");
        assertThat(hints()).contains("io.rdmarpc.service.client.RdmaProxy", "Orders$LineItem");
    }

    private String hints() throws IOException {
        try (Stream<Path> files = Files.walk(output.resolve("classes"))) {
            Path metadata = files.filter(file -> file.endsWith("reachability-metadata.json"))
                    .findFirst()
                    .orElseThrow();
            return Files.readString(metadata);
        }
    }
}
