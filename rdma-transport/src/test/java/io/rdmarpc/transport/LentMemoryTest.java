package io.rdmarpc.transport;

import java.util.Map;

class LentMemoryTest extends LentMemoryCases {

    @Override
    NicContext open() {
        return NicContext.open(
                NicConfig.DEFAULTS.withProvider("soft", Map.of("soft.addresses", "127.0.0.1", "soft.port", "0")));
    }
}
