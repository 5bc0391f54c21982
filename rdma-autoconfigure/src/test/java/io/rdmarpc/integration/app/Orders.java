package io.rdmarpc.integration.app;

import io.rdmarpc.annotation.RdmaMethod;
import io.rdmarpc.annotation.RdmaService;
import java.math.BigDecimal;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/** The service of the integration tests. */
@RdmaService(name = "test.Orders")
public interface Orders {

    Receipt place(Order order);

    @RdmaMethod(execution = RdmaMethod.Execution.INLINE)
    int add(int a, int b);

    byte[] echo(byte[] payload);

    CompletableFuture<String> later(String text, long millis);

    void reject(String reason);

    @RdmaMethod(timeout = "300ms")
    void sleep(long millis);

    Receipt nullReceipt();

    Stream<Receipt> receipts(int count);

    Iterator<byte[]> photos(int count, int bytes);

    default Receipt placeOne(String article) {
        return place(new Order("one", List.of(new LineItem(article, 1, BigDecimal.ONE))));
    }

    record Order(String customer, List<LineItem> items) {}

    record LineItem(String article, int count, BigDecimal price) {}

    record Receipt(String customer, BigDecimal total) {}
}
