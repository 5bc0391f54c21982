package io.rdmarpc.autoconfigure.actuator;

import io.rdmarpc.autoconfigure.client.RdmaClients;
import io.rdmarpc.service.client.routing.RdmaTarget;
import java.time.Duration;
import java.util.List;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/**
 * {@code /actuator/rdmatargets}: the targets of clients and their call timeouts. The timeouts can be changed if
 * {@code management.endpoint.rdmatargets.access} is {@code unrestricted}.
 */
@Endpoint(id = "rdmatargets", defaultAccess = Access.READ_ONLY)
public final class RdmaTargetsEndpoint {

    private final RdmaClients clients;

    RdmaTargetsEndpoint(RdmaClients clients) {
        this.clients = clients;
    }

    /**
     * The targets that clients call.
     *
     * @param targets the targets in order of their names
     */
    public record Targets(List<Target> targets) implements OperationResponseBody {}

    /**
     * A target.
     *
     * @param name its name
     * @param address its address
     * @param timeoutMillis call timeout in milliseconds, if the method sets none
     */
    public record Target(String name, String address, long timeoutMillis) implements OperationResponseBody {

        static Target of(RdmaTarget target) {
            return new Target(
                    target.name(), target.address(), target.timeout().get().toMillis());
        }
    }

    /**
     * Describes the targets.
     *
     * @return a snapshot
     */
    @ReadOperation
    public Targets targets() {
        return new Targets(clients.targets().stream()
                .sorted()
                .map(clients::target)
                .map(Target::of)
                .toList());
    }

    /**
     * Changes the timeout of future calls.
     *
     * @param name the target's name
     * @param timeout the timeout, longer than 0
     * @return the target with its new timeout
     */
    @WriteOperation
    public Target change(@Selector String name, Duration timeout) {
        if (!clients.targets().contains(name)) {
            throw new InvalidEndpointRequestException(
                    "there are no clients of target " + name, "target must be one of " + clients.targets());
        }
        if (!timeout.isPositive()) {
            throw new InvalidEndpointRequestException(
                    "invalid call timeout " + timeout, "timeout must be longer than 0");
        }
        RdmaTarget target = clients.target(name);
        target.timeout().set(timeout);
        return Target.of(target);
    }
}
