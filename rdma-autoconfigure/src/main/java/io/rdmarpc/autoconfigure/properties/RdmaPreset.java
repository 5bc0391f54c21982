package io.rdmarpc.autoconfigure.properties;

import java.util.LinkedHashMap;
import java.util.Map;

/** Groups of defaults for a purpose. Any other source of a property takes precedence. */
public enum RdmaPreset {
    /** The defaults as they are. */
    BALANCED,
    /** Lowest response time: each polling thread keeps a core busy. */
    LATENCY,
    /** Many concurrent and large calls. Registers about 20 MB at start-up, which is more than some memlock limits. */
    THROUGHPUT,
    /** Low use of processor time and memory under low load. */
    LOW_CPU;

    static final String PROPERTY = "rdma.preset";

    /** Returns the properties that this preset sets, with their values. */
    Map<String, String> defaults() {
        return switch (this) {
            case BALANCED -> Map.of();
            case LATENCY ->
                settings(
                        "rdma.polling.idle-strategy",
                        "busy",
                        "rdma.retransmit.initial-timeout",
                        "5ms",
                        "rdma.retransmit.min-timeout",
                        "1ms");
            case THROUGHPUT ->
                settings(
                        "rdma.polling.idle-spins", "50000",
                        "rdma.client.max-in-flight", "32",
                        "rdma.client.max-queued", "8192",
                        "rdma.ud.send-depth", "1024",
                        "rdma.ud.receive-depth", "4096",
                        "rdma.ud.poll-batch", "64",
                        "rdma.ud.post-batch", "32",
                        "rdma.rc.send-depth", "128",
                        "rdma.rc.read-budget", "256",
                        "rdma.memory.chunk-size", "64MB",
                        "rdma.server.max-concurrent-calls", "1024");
            case LOW_CPU ->
                settings(
                        "rdma.polling.idle-strategy", "event",
                        "rdma.polling.max-sleep", "10ms",
                        "rdma.ud.receive-depth", "256",
                        "rdma.memory.chunk-size", "4MB",
                        "rdma.heartbeat.interval", "2s",
                        "rdma.heartbeat.timeout", "10s");
        };
    }

    private static Map<String, String> settings(String... namesAndValues) {
        Map<String, String> settings = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            settings.put(namesAndValues[i], namesAndValues[i + 1]);
        }
        return settings;
    }
}
