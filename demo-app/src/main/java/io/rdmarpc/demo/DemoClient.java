package io.rdmarpc.demo;

import io.rdmarpc.annotation.RdmaClient;
import io.rdmarpc.transport.NicContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.ExitCodeGenerator;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;

/** The client: places orders for a configured time, checks every response, and prints the latency of the calls. */
@Component
@Profile({"client", "both"})
class DemoClient implements ApplicationRunner, ExitCodeGenerator {

    private final OrderCalls calls;
    private final NicContext nic;
    private final EngineSummary engine;
    private final DemoProperties properties;
    private final List<MeasurementResult> results = new ArrayList<>();

    DemoClient(@RdmaClient OrderService orders, NicContext nic, EngineSummary engine, DemoProperties properties) {
        this.calls = new OrderCalls(orders);
        this.nic = nic;
        this.engine = engine;
        this.properties = properties;
    }

    @Override
    public void run(ApplicationArguments args) {
        Duration part = Duration.ofSeconds(properties.seconds()).dividedBy(4);
        // Connects to the server and loads classes.
        measure("first call", 1, Duration.ZERO, calls::place);
        warmUp(part);
        measure("place, 1 caller", 1, part, calls::place);
        measure("find, 1 caller", 1, part, calls::find);
        measure("place, " + properties.callers() + " callers", properties.callers(), part, calls::place);
        measure("report of " + calls.reportSize() + ", 1 caller", 1, part, calls::report);
        print();
    }

    /** Makes calls that are not measured, so that the JIT compiler has compiled some code before the measurement. */
    private void warmUp(Duration part) {
        OrderCalls.run(new Measurement("warm-up"), properties.callers(), part, calls::place);
        OrderCalls.run(new Measurement("warm-up"), 1, part.dividedBy(2), calls::find);
        OrderCalls.run(new Measurement("warm-up"), 1, part.dividedBy(2), calls::report);
    }

    private void measure(String name, int callers, Duration time, Measurement.Call call) {
        Measurement measurement = new Measurement(name);
        OrderCalls.run(measurement, callers, time, call);
        results.add(measurement.result());
    }

    private void print() {
        System.out.println();
        System.out.println(MeasurementResult.HEADER);
        results.forEach(result -> System.out.println(result.row(result.name())));
        System.out.println();
        System.out.println("provider " + nic.providerName() + ", device " + nic.deviceName() + ", path MTU "
                + nic.pathMtu().bytes() + " bytes");
        System.out.println("provider chosen: " + nic.reason());
        System.out.println(engine.line());
        results.stream().filter(result -> !result.isClean()).forEach(result -> System.out.println(result.problem()));
        System.out.println(getExitCode() == 0 ? "every response was checked and is correct" : "THE DEMO FAILED");
    }

    @Override
    public int getExitCode() {
        return !results.isEmpty() && results.stream().allMatch(MeasurementResult::isClean) ? 0 : 1;
    }
}
