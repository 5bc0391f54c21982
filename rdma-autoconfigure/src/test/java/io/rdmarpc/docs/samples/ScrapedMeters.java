package io.rdmarpc.docs.samples;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.rdmarpc.remote.RemoteMemory;
import io.rdmarpc.remote.RemoteMemoryConfig;
import io.rdmarpc.rpc.config.RpcConfig;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.runtime.PollingConfig;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.service.MethodObserver;
import io.rdmarpc.service.ServerAddress;
import io.rdmarpc.service.observation.EngineMeters;
import io.rdmarpc.service.observation.MicrometerCallObserver;
import io.rdmarpc.service.observation.RemoteMemoryMeters;
import io.rdmarpc.transport.NicConfig;
import io.rdmarpc.transport.NicContext;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The meters that Prometheus scrapes from an application: names of series, and the values of each label.
 *
 * @param labels values by series and label
 */
record ScrapedMeters(Map<String, Map<String, Set<String>>> labels) {

    private static final Pattern SERIES = Pattern.compile("^(\\w+)(?:\\{(.*)})? ");
    private static final Pattern LABEL = Pattern.compile("(\\w+)=\"([^\"]*)\"");

    /** Scrapes engines that are open on the software RNIC. */
    static ScrapedMeters scrape() {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        NicConfig config =
                NicConfig.DEFAULTS.withProvider("soft", Map.of("soft.addresses", "127.0.0.1", "soft.port", "0"));
        try (NicContext nic = NicContext.open(config);
                RdmaRuntime runtime = RdmaRuntime.open(config, RpcConfig.DEFAULTS, PollingConfig.DEFAULTS);
                RemoteMemory memory = RemoteMemory.open(runtime, RemoteMemoryConfig.DEFAULTS)) {
            EngineMeters meters = new EngineMeters(runtime, nic);
            meters.onTarget("default");
            meters.bindTo(registry);
            new RemoteMemoryMeters(memory).bindTo(registry);
            recordCalls(registry);
            return parse(registry.scrape());
        }
    }

    /** Ends a call with each status, at a client and at a server. */
    private static void recordCalls(PrometheusMeterRegistry registry) {
        MicrometerCallObserver observer = new MicrometerCallObserver(registry);
        MethodObserver client = observer.client("Orders", "add", "default", new ServerAddress("localhost", 7471));
        MethodObserver server = observer.server("Orders", "add");
        for (RpcStatus status : RpcStatus.values()) {
            client.onEnd(status, null, 1);
            server.onEnd(status, null, 1);
        }
    }

    private static ScrapedMeters parse(String text) {
        Map<String, Map<String, Set<String>>> labels = new HashMap<>();
        text.lines().filter(line -> !line.startsWith("#")).forEach(line -> {
            Matcher series = SERIES.matcher(line);
            if (series.find()) {
                Map<String, Set<String>> values = labels.computeIfAbsent(series.group(1), _ -> new HashMap<>());
                Matcher label = LABEL.matcher(series.group(2) == null ? "" : series.group(2));
                while (label.find()) {
                    values.computeIfAbsent(label.group(1), _ -> new HashSet<>()).add(label.group(2));
                }
            }
        });
        return new ScrapedMeters(labels);
    }

    Set<String> names() {
        return labels.keySet();
    }
}
