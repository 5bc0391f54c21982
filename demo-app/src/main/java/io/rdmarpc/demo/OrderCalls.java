package io.rdmarpc.demo;

import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;

/** Calls of the order service by several callers, which check every response. Thread-safe. */
public final class OrderCalls {

    private static final int YEAR = 2026;
    private static final int CUSTOMERS = 4;

    private final OrderService orders;
    private final AtomicLong orderNumbers = new AtomicLong();
    private final Map<String, Report> expectedReports = new ConcurrentHashMap<>();

    public OrderCalls(OrderService orders) {
        this.orders = orders;
    }

    /**
     * Makes calls until the time is over, at least one for each caller, and records them.
     *
     * @param callers number of concurrent callers, each a virtual thread that waits for its response
     */
    public static void run(Measurement measurement, int callers, Duration time, Measurement.Call call) {
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

    /** Places a new order. */
    public boolean place(long ignored) {
        Order order = OrderRules.order(orderNumbers.getAndIncrement());
        return orders.place(order).equals(OrderRules.receipt(order));
    }

    /** Looks up orders that were placed recently, and in every tenth call an order that was never placed. */
    public boolean find(long number) {
        if (number % 10 == 9) {
            return orders.find("never placed " + number).isEmpty();
        }
        Order placed = OrderRules.order(Math.max(0, orderNumbers.get() - 1 - number % 1000));
        return orders.find(placed.id()).equals(Optional.of(OrderRules.receipt(placed)));
    }

    /** Fetches the report of one of the customers. */
    public boolean report(long number) {
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

    /** Returns the size of a report with its unit. */
    public String reportSize() {
        return String.format(
                Locale.ROOT, "%.1f MiB", expectedReport("customer-0").csv().length / (double) (1 << 20));
    }
}
