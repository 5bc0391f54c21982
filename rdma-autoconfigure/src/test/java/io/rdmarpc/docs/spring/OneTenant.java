package io.rdmarpc.docs.spring;

import io.rdmarpc.service.CallOptions;
import java.time.Duration;

final class OneTenant {

    private final Warehouse warehouse;

    OneTenant(Warehouse warehouse) {
        this.warehouse = warehouse;
    }

    int count(String tenant, String article) {
        return CallOptions.metadata("tenant", tenant)
                .timeout(Duration.ofSeconds(1))
                .call(() -> warehouse.count(article));
    }
}
