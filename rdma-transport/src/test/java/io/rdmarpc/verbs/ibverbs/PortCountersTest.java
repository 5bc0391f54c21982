package io.rdmarpc.verbs.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PortCountersTest {

    @TempDir
    Path device;

    private void file(String name, String content) throws IOException {
        Path file = device.resolve("ports/1").resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, content);
    }

    @Test
    void shouldReadTheKernelsCounters() throws IOException {
        file("counters/port_xmit_data", "12\n");
        file("hw_counters/out_of_sequence", "18446744073709551615\n");
        file("hw_counters/lifespan", "10\n");
        file("hw_counters/broken", "N/A\n");
        assertThat(PortCounters.read(device, 1))
                .containsEntry("port_xmit_data", 12L)
                .containsEntry("out_of_sequence", -1L)
                .hasSize(2);
    }

    @Test
    void whenThePortHasNoCountersThenNoneAreRead() {
        assertThat(PortCounters.read(device, 2)).isEmpty();
    }
}
