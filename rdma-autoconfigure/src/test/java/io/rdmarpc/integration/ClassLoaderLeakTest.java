package io.rdmarpc.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.integration.app.PlainApplication;
import io.rdmarpc.integration.app.RestartProcess;
import io.rdmarpc.integration.app.RestartedApplication;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** No thread, cleaner, thread-local or static cache of ours holds an application that devtools have replaced. */
@Timeout(180)
@DisplayName("The class loader of an application that was restarted")
class ClassLoaderLeakTest {

    @TempDir
    Path directory;

    private String run(Class<?> application) throws Exception {
        Path log = directory.resolve("restart.log");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-XX:+UseSerialGC",
                        "-XX:SoftRefLRUPolicyMSPerMB=0",
                        "-Xmx512m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        RestartProcess.class.getName(),
                        application.getName())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            assertThat(process.waitFor(150, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        return Files.readString(log, StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @ValueSource(classes = {PlainApplication.class, RestartedApplication.class})
    void whenContextsAreClosedThenItCanBeCollected(Class<?> application) throws Exception {
        assertThat(run(application)).contains("kept 0 of 3");
    }
}
