package io.rdmarpc.demo;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Service;

/** The server: a bean that implements the interface, nothing more. */
@Service
@Profile({"server", "both"})
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

    @Override
    public Receipt place(Order order) {
        Receipt receipt = OrderRules.receipt(order);
        receipts.put(order.id(), receipt);
        return receipt;
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
