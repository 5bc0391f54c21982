package io.rdmarpc.benchmarks.sessions;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/**
 * The memory of a session after its first calls, in new processes. The bounds are twice the figures of {@code
 * benchmarks/run sessions}: what a process keeps without sessions differs by megabytes from run to run, and is divided by
 * fewer sessions here. They run only on Linux, because the processes communicate over the software RNIC's shared memory.
 */
@Timeout(300)
@EnabledOnOs(OS.LINUX)
@Tag("processes")
class SessionMemoryTest {

    private static final int SESSIONS = 2000;
    private static final double SERVER_HEAP_BYTES = 5000;
    private static final double CLIENT_HEAP_BYTES = 8000;
    /** The pool of packet memory, which all sessions share, and no block for the response of each session. */
    private static final double NATIVE_BYTES = 1000;

    @Test
    void shouldNeedLittleMemoryForASessionAfterItsCalls() throws IOException {
        Map<String, Double> figures = new SessionsRun(1, 2048, 64, 0.5).measure(SESSIONS);

        assertThat(figures.get("server_heap")).isBetween(0.0, SERVER_HEAP_BYTES);
        assertThat(figures.get("client_heap")).isBetween(0.0, CLIENT_HEAP_BYTES);
        assertThat(figures.get("server_native")).isBetween(0.0, NATIVE_BYTES);
        assertThat(figures.get("client_native")).isBetween(0.0, NATIVE_BYTES);
    }
}
