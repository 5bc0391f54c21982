package io.rdmarpc.demo;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Service;

/** The server: a bean that implements the service interface. */
@Service
@Profile({"server", "both", "training"})
class OrderDesk implements OrderService {

    private static final int REMEMBERED = 100_000;

    private final Map<String, Receipt> receipts = Collections.synchronizedMap(new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Receipt> eldest) {
            return size() > REMEMBERED;
        }
    });

    private final Map<String, Report> reports = new ConcurrentHashMap<>();
    private final StageWatch watch;

    OrderDesk(StageWatch watch) {
        this.watch = watch;
    }

    @Override
    public Receipt place(Order order) {
        watch.methodStarts(order.id());
        Receipt receipt = OrderRules.receipt(order);
        receipts.put(order.id(), receipt);
        watch.methodEnds(order.id());
        return receipt;
    }

    @Override
    public CompletableFuture<Receipt> placeLater(Order order) {
        return CompletableFuture.completedFuture(place(order));
    }

    /** Keeps the first receipt, so that a client can amend an order several times. */
    @Override
    public Optional<Receipt> amend(Amendment amendment) {
        return find(amendment.orderId()).map(receipt -> OrderRules.amended(receipt, amendment));
    }

    @Override
    public Stream<Fill> fills(String orderId, int parts) {
        return IntStream.range(0, parts).mapToObj(number -> OrderRules.fill(orderId, number, parts));
    }

    @Override
    public Optional<Receipt> find(String orderId) {
        return Optional.ofNullable(receipts.get(orderId));
    }

    @Override
    public Report report(String customer, int year) {
        return reports.computeIfAbsent(customer + year, key -> OrderRules.report(customer, year));
    }
}
