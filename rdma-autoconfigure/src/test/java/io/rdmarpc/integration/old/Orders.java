package io.rdmarpc.integration.old;

import io.rdmarpc.annotation.RdmaService;
import java.math.BigDecimal;
import java.util.List;

/** The same service as a client of last year knows it: another record, and a method that is gone. */
@RdmaService(name = "test.Orders")
public interface Orders {

    Receipt place(Order order);

    void cancel(String id);

    record Order(String customer, List<LineItem> items) {}

    record LineItem(String article, long count) {}

    record Receipt(String customer, BigDecimal total) {}
}
