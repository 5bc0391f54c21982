package io.rdmarpc.docs.testing;

import io.rdmarpc.autoconfigure.RdmaConnectionDetails;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;

@TestConfiguration
class Containers {

    @Bean
    RdmaConnectionDetails orders(OrdersContainer container) {
        return target -> container.host() + ":" + container.mappedPort(7471);
    }
}
