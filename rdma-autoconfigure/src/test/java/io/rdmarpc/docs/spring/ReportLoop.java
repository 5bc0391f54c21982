package io.rdmarpc.docs.spring;

import io.rdmarpc.rpc.runtime.EngineInvoker;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

final class ReportLoop {

    private static final int IN_FLIGHT = 16;

    private final RdmaRuntime runtime;
    private final Warehouse warehouse;
    /** First calls may end on another thread, until the session on this thread's engine is open. */
    private final AtomicInteger ended = new AtomicInteger();

    ReportLoop(RdmaRuntime runtime, Warehouse warehouse) {
        this.runtime = runtime;
        this.warehouse = warehouse;
    }

    /** Makes calls on one engine, which this thread runs meanwhile. Their futures complete on this thread. */
    void run(int engine, int calls) {
        try (EngineInvoker invoker = runtime.invoker(engine, Duration.ofSeconds(1))) {
            int begun = 0;
            while (ended.get() < calls) {
                if (begun < calls && begun - ended.get() < IN_FLIGHT) {
                    var _ = warehouse.report().whenComplete((report, failure) -> ended.incrementAndGet());
                    begun++;
                }
                if (invoker.invoke() == 0) {
                    Thread.onSpinWait();
                }
            }
        }
    }
}
