package io.rdmarpc.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.integration.app.JdkProgram;
import io.rdmarpc.integration.app.PlainApplication;
import io.rdmarpc.integration.app.RestartProcess;
import io.rdmarpc.integration.app.RestartedApplication;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** No thread, cleaner, thread-local or static cache holds an application that devtools have replaced. */
@Timeout(180)
@DisplayName("The class loader of an application that was restarted")
@Tag("processes")
class ClassLoaderLeakTest {

    @ParameterizedTest
    @ValueSource(classes = {PlainApplication.class, RestartedApplication.class})
    void whenContextsAreClosedThenItCanBeCollected(Class<?> application) throws Exception {
        assertThat(JdkProgram.run(
                        "java",
                        List.of(
                                "--enable-native-access=ALL-UNNAMED",
                                "-XX:+UseSerialGC",
                                "-XX:SoftRefLRUPolicyMSPerMB=0",
                                "-Xmx512m",
                                "-cp",
                                System.getProperty("java.class.path"),
                                RestartProcess.class.getName(),
                                application.getName())))
                .contains("kept 0 of 2");
    }
}
