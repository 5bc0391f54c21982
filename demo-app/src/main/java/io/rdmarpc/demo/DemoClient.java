package io.rdmarpc.demo;

import io.rdmarpc.annotation.RdmaClient;
import io.rdmarpc.transport.NicContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.ExitCodeGenerator;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;

/** The client: places orders for a configured time, checks every response, and prints the latency of the calls. */
@Component
@Profile({"client", "both"})
class DemoClient implements ApplicationRunner, ExitCodeGenerator {

    private static final int YEAR = 2026;
    private static final int CUSTOMERS = 4;

    private final OrderService orders;
    private final NicContext nic;
    private final EngineSummary engine;
    private final DemoProperties properties;
    private final AtomicLong orderNumbers = new AtomicLong();
    private final Map<String, Report> expectedReports = new ConcurrentHashMap<>();
    private final List<Measurement> measurements = new ArrayList<>();

    DemoClient(@RdmaClient OrderService orders, NicContext nic, EngineSummary engine, DemoProperties properties) {
        this.orders = orders;
        this.nic = nic;
        this.engine = engine;
        this.properties = properties;
    }

    @Override
    public void run(ApplicationArguments args) {
        Duration part = Duration.ofSeconds(properties.seconds()).dividedBy(4);
        // Connects to the server and loads classes.
        measure("first call", 1, Duration.ZERO, this::place);
        warmUp(part);
        measure("place, 1 caller", 1, part, this::place);
        measure("find, 1 caller", 1, part, this::find);
        measure("place, " + properties.callers() + " callers", properties.callers(), part, this::place);
        measure("report of " + reportSize() + ", 1 caller", 1, part, this::report);
        print();
    }

    /** Makes calls that are not measured, so that the JIT compiler has compiled the code before the measurement. */
    private void warmUp(Duration part) {
        run(new Measurement("warm-up"), properties.callers(), part, this::place);
        run(new Measurement("warm-up"), 1, part.dividedBy(2), this::find);
        run(new Measurement("warm-up"), 1, part.dividedBy(2), this::report);
    }

    private void measure(String name, int callers, Duration time, Measurement.Call call) {
        Measurement measurement = new Measurement(name);
        measurements.add(measurement);
        run(measurement, callers, time, call);
    }

    private static void run(Measurement measurement, int callers, Duration time, Measurement.Call call) {
        AtomicLong numbers = new AtomicLong();
        long start = System.nanoTime();
        long end = start + time.toNanos();
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int caller = 0; caller < callers; caller++) {
                executor.execute(() -> {
                    do {
                        measurement.one(numbers.getAndIncrement(), call);
                    } while (System.nanoTime() - end < 0);
                });
            }
        }
        measurement.took(Duration.ofNanos(System.nanoTime() - start));
    }

    private boolean place(long ignored) {
        Order order = OrderRules.order(orderNumbers.getAndIncrement());
        return orders.place(order).equals(OrderRules.receipt(order));
    }

    /** Looks up orders that were placed recently, and in every tenth call an order that was never placed. */
    private boolean find(long number) {
        if (number % 10 == 9) {
            return orders.find("never placed " + number).isEmpty();
        }
        Order placed = OrderRules.order(Math.max(0, orderNumbers.get() - 1 - number % 1000));
        return orders.find(placed.id()).equals(Optional.of(OrderRules.receipt(placed)));
    }

    private boolean report(long number) {
        String customer = "customer-" + number % CUSTOMERS;
        Report report = orders.report(customer, YEAR);
        Report expected = expectedReport(customer);
        return report.customer().equals(customer)
                && report.year() == YEAR
                && Arrays.equals(report.csv(), expected.csv());
    }

    private Report expectedReport(String customer) {
        return expectedReports.computeIfAbsent(customer, key -> OrderRules.report(key, YEAR));
    }

    private String reportSize() {
        return String.format("%.1f MiB", expectedReport("customer-0").csv().length / (double) (1 << 20));
    }

    private void print() {
        System.out.println();
        System.out.println(Measurement.HEADER);
        measurements.forEach(measurement -> System.out.println(measurement.row()));
        System.out.println();
        System.out.println("provider " + nic.providerName() + ", device " + nic.deviceName() + ", path MTU "
                + nic.pathMtu().bytes() + " bytes");
        System.out.println("provider chosen: " + nic.reason());
        System.out.println(engine.line());
        measurements.stream().map(Measurement::complaint).forEach(complaint -> {
            if (complaint != null) {
                System.out.println(complaint);
            }
        });
        System.out.println(getExitCode() == 0 ? "every response was checked and is correct" : "THE DEMO FAILED");
    }

    @Override
    public int getExitCode() {
        return !measurements.isEmpty() && measurements.stream().allMatch(Measurement::isClean) ? 0 : 1;
    }
}
