package io.rdmarpc.demo;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Summarizes the engine's meters in one line. */
@Component
class EngineSummary {

    private final MeterRegistry meters;

    EngineSummary(MeterRegistry meters) {
        this.meters = meters;
    }

    String line() {
        return String.format(
                Locale.ROOT,
                "this process: %.0f packets sent, %.0f received, %.0f retransmissions; %.0f RDMA READs of %.1f MiB",
                count("rdma.engine.packets", "direction", "sent"),
                count("rdma.engine.packets", "direction", "received"),
                count("rdma.engine.retransmissions"),
                count("rdma.engine.reads"),
                count("rdma.engine.read.bytes") / (1 << 20));
    }

    private double count(String name, String... tags) {
        @Nullable FunctionCounter counter = meters.find(name).tags(tags).functionCounter();
        return counter == null ? 0 : counter.count();
    }
}
