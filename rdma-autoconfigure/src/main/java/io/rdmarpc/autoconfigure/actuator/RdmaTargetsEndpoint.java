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
 * {@code /actuator/rdmatargets}: whom clients call, and how long a call may take. That can be changed where {@code
 * management.endpoint.rdmatargets.access} is {@code unrestricted}.
 */
@Endpoint(id = "rdmatargets", defaultAccess = Access.READ_ONLY)
public final class RdmaTargetsEndpoint {

    private final RdmaClients clients;

    RdmaTargetsEndpoint(RdmaClients clients) {
        this.clients = clients;
    }

    /**
     * The targets that have clients.
     *
     * @param targets by name
     */
    public record Targets(List<Target> targets) implements OperationResponseBody {}

    /**
     * A target.
     *
     * @param name its name
     * @param address where it is
     * @param timeoutMillis how long a call may take where its method does not say
     */
    public record Target(String name, String address, long timeoutMillis) implements OperationResponseBody {

        static Target of(RdmaTarget target) {
            return new Target(
                    target.name(), target.address(), target.timeout().get().toMillis());
        }
    }

    /**
     * Describes them.
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
     * Changes how long calls may take that begin from now on.
     *
     * @param name the target's name
     * @param timeout over 0
     * @return what counts now
     */
    @WriteOperation
    public Target change(@Selector String name, Duration timeout) {
        if (!clients.targets().contains(name)) {
            throw new InvalidEndpointRequestException(
                    "there are no clients of target " + name, "target must be one of " + clients.targets());
        }
        if (!timeout.isPositive()) {
            throw new InvalidEndpointRequestException("a call cannot take " + timeout, "timeout must be over 0");
        }
        RdmaTarget target = clients.target(name);
        target.timeout().set(timeout);
        return Target.of(target);
    }
}
