package io.rdmarpc.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.preinitialize.BackgroundPreinitializer;
import org.springframework.core.io.support.SpringFactoriesLoader;

@Timeout(60)
@DisplayName("What is done on Boot's background thread")
class RdmaBackgroundPreinitializerTest {

    @Test
    @DisplayName("is found by Boot")
    void shouldBeFoundByBoot() {
        assertThat(SpringFactoriesLoader.forDefaultResourceLocation().load(BackgroundPreinitializer.class))
                .hasAtLeastOneElementOfType(RdmaBackgroundPreinitializer.class);
    }

    @Test
    @DisplayName("fails nowhere: Boot would not tell")
    void shouldNotFail() {
        assertThatNoException().isThrownBy(() -> new RdmaBackgroundPreinitializer().preinitialize());
    }

    @Test
    @DisplayName("opens no socket, no memory file and no device")
    void shouldOpenNothing() throws IOException {
        new RdmaBackgroundPreinitializer().preinitialize();
        List<String> before = openSocketsAndMemory();
        new RdmaBackgroundPreinitializer().preinitialize();
        assertThat(openSocketsAndMemory()).containsExactlyInAnyOrderElementsOf(before);
    }

    private static List<String> openSocketsAndMemory() throws IOException {
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            return descriptors
                    .map(RdmaBackgroundPreinitializerTest::target)
                    .filter(target ->
                            target.matches("socket:.*|.*memfd:.*|anon_inode:.*|/dev/infiniband/.*|/dev/shm/.*"))
                    .toList();
        }
    }

    private static String target(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (IOException e) {
            return ""; // That of the listing itself.
        }
    }
}
