package io.rdmarpc.autoconfigure.properties;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;

/**
 * Properties that were renamed. The application does not start while an old name is set, because its value would have
 * no effect. The configuration metadata lists the same names, for IDEs and for Spring Boot's properties migrator. A
 * test compares both lists.
 */
final class RenamedProperties {

    /** New names by old ones. */
    static final Map<String, String> NEW_NAMES = Map.ofEntries(
            Map.entry("rdma.profile", "rdma.preset"),
            Map.entry("rdma.device", "rdma.device.name"),
            Map.entry("rdma.port", "rdma.device.port"),
            Map.entry("rdma.gid-index", "rdma.device.gid-index"),
            Map.entry("rdma.mtu", "rdma.device.mtu"),
            Map.entry("rdma.window", "rdma.client.max-in-flight"),
            Map.entry("rdma.backlog", "rdma.client.max-queued"),
            Map.entry("rdma.retransmit.timeout", "rdma.retransmit.initial-timeout"),
            Map.entry("rdma.retransmit.limit", "rdma.retransmit.max-attempts"),
            Map.entry("rdma.health.stuck-after", "rdma.polling.stall-threshold"),
            Map.entry("rdma.polling.idle", "rdma.polling.idle-strategy"),
            Map.entry("rdma.polling.idle-turns", "rdma.polling.idle-spins"),
            Map.entry("rdma.polling.max-park", "rdma.polling.max-sleep"),
            Map.entry("rdma.ud.bundling", "rdma.ud.batching"),
            Map.entry("rdma.rc.ack-timeout", "rdma.rc.ack-timeout-exponent"),
            Map.entry("rdma.memory.max", "rdma.memory.max-size"),
            Map.entry("rdma.memory.lending-max", "rdma.memory.max-lent-per-session"),
            Map.entry("rdma.soft.faults.delay-micros", "rdma.soft.faults.delay-duration"),
            Map.entry("rdma.soft.shared-memory.ring-bytes", "rdma.soft.shared-memory.ring-size"),
            Map.entry("rdma.soft.shared-memory.inbound-bytes", "rdma.soft.shared-memory.max-inbound-size"),
            Map.entry("rdma.client.connect-at-start", "rdma.client.eager-connect"),
            Map.entry("rdma.client.reconnect.automatic", "rdma.client.reconnect.enabled"),
            Map.entry("rdma.client.reconnect.first-pause", "rdma.client.reconnect.initial-interval"),
            Map.entry("rdma.client.reconnect.longest-pause", "rdma.client.reconnect.max-interval"),
            Map.entry("rdma.client.reconnect.give-up-after", "rdma.client.reconnect.max-elapsed-time"),
            Map.entry("rdma.client.retry.attempts", "rdma.client.retry.max-attempts"),
            Map.entry("rdma.client.retry.backoff", "rdma.client.retry.initial-interval"),
            Map.entry("rdma.client.balancing.timeouts", "rdma.client.balancing.max-consecutive-timeouts"),
            Map.entry("rdma.client.balancing.drain", "rdma.client.balancing.drain-timeout"),
            Map.entry("rdma.client.discovery.refresh", "rdma.client.discovery.refresh-interval"),
            Map.entry("rdma.server.max-bytes-per-peer", "rdma.server.max-lent-per-peer"),
            Map.entry("rdma.server.token-lifetime", "rdma.server.session-token-lifetime"),
            Map.entry("rdma.security.ssl.client-certificates", "rdma.security.ssl.client-auth"),
            Map.entry("rdma.serialization.max-bytes", "rdma.serialization.max-size"),
            Map.entry("rdma.remote-memory.answer-timeout", "rdma.remote-memory.response-timeout"),
            Map.entry("rdma.remote-memory.lending.grace", "rdma.remote-memory.lending.grace-period"));

    private RenamedProperties() {}

    /**
     * Rejects old names.
     *
     * @param sources the sources of all properties, of any kind
     * @throws RdmaRenamedPropertiesException if any source has an old name, with one line for each occurrence
     */
    static void check(Iterable<ConfigurationPropertySource> sources) {
        List<String> found = new ArrayList<>();
        new TreeMap<>(NEW_NAMES).forEach((before, now) -> {
            ConfigurationPropertyName name = ConfigurationPropertyName.of(before);
            for (ConfigurationPropertySource source : sources) {
                ConfigurationProperty property = source.getConfigurationProperty(name);
                if (property != null) {
                    found.add(line(before, now, property));
                }
            }
        });
        if (!found.isEmpty()) {
            throw new RdmaRenamedPropertiesException(found);
        }
    }

    private static String line(String before, String now, ConfigurationProperty property) {
        String origin = property.getOrigin() == null ? "" : " (" + property.getOrigin() + ")";
        return "'" + before + "' is now '" + now + "'" + origin;
    }
}
