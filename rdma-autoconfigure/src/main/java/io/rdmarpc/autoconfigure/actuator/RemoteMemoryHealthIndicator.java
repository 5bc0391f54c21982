package io.rdmarpc.autoconfigure.actuator;

import io.rdmarpc.remote.RemoteMemory;
import io.rdmarpc.remote.RemoteMemoryStatistics.Lending;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Reports whether memory can be lent and reclaimed: the lending thread responds, and the device releases ended
 * regions.
 */
final class RemoteMemoryHealthIndicator extends AbstractHealthIndicator {

    private final RemoteMemory memory;

    RemoteMemoryHealthIndicator(RemoteMemory memory) {
        super("The state of remote memory could not be read");
        this.memory = memory;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        Lending lending = memory.statistics().lending();
        builder.withDetail("device", memory.deviceName())
                .withDetail("peers", lending.links())
                .withDetail("lentRegions", lending.regions())
                .withDetail("lentBytes", lending.bytes())
                .withDetail("grants", lending.grants())
                .withDetail("heldRegions", memory.statistics().use().regions());
        try {
            memory.snapshot(1);
        } catch (RdmaRemoteMemoryException e) {
            builder.down().withDetail("problem", String.valueOf(e.getMessage()));
            return;
        }
        if (lending.stuck() > 0) {
            builder.down().withDetail("problem", lending.stuck() + " regions that the device has not released");
        } else {
            builder.up();
        }
    }
}
