package io.rdmarpc.autoconfigure.actuator;

import io.rdmarpc.autoconfigure.client.RdmaClients;
import io.rdmarpc.rpc.SessionSnapshot;
import io.rdmarpc.rpc.SessionSnapshot.Role;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.rpc.stats.EngineSnapshot;
import io.rdmarpc.transport.NicContext;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Reports whether this process can use RDMA: its device and port work, and its polling threads run. Unreachable peers
 * are shown as details but do not affect health. The check reads state only and does not query the device or a peer.
 */
final class RdmaHealthIndicator extends AbstractHealthIndicator {

    private final RdmaRuntime runtime;
    private final NicContext nic;
    private final Duration stallThreshold;
    private final ObjectProvider<RdmaClients> clients;

    RdmaHealthIndicator(
            RdmaRuntime runtime, NicContext nic, Duration stallThreshold, ObjectProvider<RdmaClients> clients) {
        super("The state of RDMA could not be read");
        this.runtime = runtime;
        this.nic = nic;
        this.stallThreshold = stallThreshold;
        this.clients = clients;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        List<EngineSnapshot> engines = runtime.engineSnapshots();
        builder.withDetail("provider", nic.providerName())
                .withDetail("device", nic.deviceName())
                .withDetail("port", nic.portNumber())
                .withDetail("pathMtu", nic.pathMtu().bytes())
                .withDetail("sinceLastCycleMillis", sinceLastDutyCycle(engines))
                .withDetail("targets", targets())
                .withDetail("clients", count(Role.SERVER, ""));
        if (!runtime.isRunning()) {
            builder.outOfService().withDetail("problem", "the engines are stopped");
            return;
        }
        String problem = problem(engines);
        if (problem == null) {
            builder.up();
        } else {
            builder.down().withDetail("problem", problem);
        }
    }

    private @Nullable String problem(List<EngineSnapshot> engines) {
        String device = runtime.deviceProblem();
        if (device != null) {
            return device;
        }
        return engines.stream()
                .map(engine -> problem(engine, stallThreshold))
                .filter(each -> !each.isEmpty())
                .findFirst()
                .orElse(null);
    }

    /** Returns the problem of an engine, or an empty string if it works. */
    static String problem(EngineSnapshot engine, Duration stallThreshold) {
        String failure = engine.problem();
        if (failure != null) {
            return failure;
        }
        if (!engine.threadAlive()) {
            return "polling thread " + engine.thread() + " is dead";
        }
        return engine.sinceLastCycle().compareTo(stallThreshold) > 0
                ? "polling thread " + engine.thread() + " has run no duty cycle for "
                        + engine.sinceLastCycle().toMillis()
                        + " ms: a method with execution = INLINE must not block"
                : "";
    }

    private static Map<String, Long> sinceLastDutyCycle(List<EngineSnapshot> engines) {
        Map<String, Long> millis = new TreeMap<>();
        engines.forEach(
                engine -> millis.put(engine.thread(), engine.sinceLastCycle().toMillis()));
        return millis;
    }

    private Map<String, Map<String, Long>> targets() {
        Map<String, Map<String, Long>> targets = new TreeMap<>();
        clients.stream()
                .flatMap(each -> each.targets().stream())
                .forEach(target -> targets.put(target, count(Role.CLIENT, target)));
        return targets;
    }

    private Map<String, Long> count(Role role, String target) {
        Map<String, Long> counts = runtime.sessions().stream()
                .filter(session -> session.role() == role && session.target().equals(target))
                .map(SessionSnapshot::state)
                .collect(Collectors.groupingBy(Words::of, TreeMap::new, Collectors.counting()));
        counts.putIfAbsent("open", 0L);
        return counts;
    }
}
