package io.rdmarpc.autoconfigure.properties;

import java.util.LinkedHashMap;
import java.util.Map;

/** Groups of defaults for a purpose. What is set in any other way wins. */
public enum RdmaPreset {
    /** The defaults as they are. */
    BALANCED,
    /** Answers as soon as can be: each polling thread keeps a core busy. */
    LATENCY,
    /** Many and large calls at a time; registers some 20 MB at the start, more than some memlock limits. */
    THROUGHPUT,
    /** Little processor time and memory while there is little to do. */
    LOW_CPU;

    static final String PROPERTY = "rdma.preset";

    /** The settings it changes. */
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
