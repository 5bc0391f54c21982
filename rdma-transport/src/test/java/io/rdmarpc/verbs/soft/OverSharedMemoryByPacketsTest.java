package io.rdmarpc.verbs.soft;

import java.io.IOException;
import org.junit.jupiter.api.BeforeAll;

/** The same without any mapped memory, as without native access. */
class OverSharedMemoryByPacketsTest extends OverSharedMemoryTest {

    @BeforeAll
    static void useSharedMemory() throws IOException {
        useSharedMemory(false);
    }
}
