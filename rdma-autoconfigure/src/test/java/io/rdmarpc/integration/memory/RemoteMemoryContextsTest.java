package io.rdmarpc.integration.memory;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;

@DisplayName("Remote memory between two Spring contexts")
class RemoteMemoryContextsTest {

    @Nested
    @DisplayName("with Kryo")
    class WithKryo extends RemoteMemoryContextsCases {

        WithKryo() {
            super("kryo");
        }
    }

    @Nested
    @DisplayName("with JSON")
    class WithJson extends RemoteMemoryContextsCases {

        WithJson() {
            super("json");
        }
    }
}
