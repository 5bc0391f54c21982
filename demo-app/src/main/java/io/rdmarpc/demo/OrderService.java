package io.rdmarpc.demo;

import io.rdmarpc.annotation.RdmaService;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/** What the two processes share: an interface and the records in its signatures. */
@RdmaService
public interface OrderService {

    /** Takes an order and says what it costs. */
    Receipt place(Order order);

    /** The same, for callers that do not wait. */
    CompletableFuture<Receipt> placeLater(Order order);

    /** Changes an order that was placed lately, and says what it costs now; nothing when it is not known any more. */
    Optional<Receipt> amend(Amendment amendment);

    /** Finds the receipt of an order that was placed lately. */
    Optional<Receipt> find(String orderId);

    /** Tells of an order's parts one by one, as they are packed. */
    Stream<Fill> fills(String orderId, int parts);

    /** Lists a customer's orders of a year: more than a MiB, which travels by RDMA READ. */
    Report report(String customer, int year);
}
