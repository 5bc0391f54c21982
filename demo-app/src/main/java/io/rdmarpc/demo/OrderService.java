package io.rdmarpc.demo;

import io.rdmarpc.annotation.RdmaService;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/** The service interface that client and server share, with the records in its signatures. */
@RdmaService
public interface OrderService {

    /** Places an order and returns its cost. */
    Receipt place(Order order);

    /** Places an order without blocking the caller. */
    CompletableFuture<Receipt> placeLater(Order order);

    /** Changes a recently placed order and returns its new cost, or empty if the server no longer knows the order. */
    Optional<Receipt> amend(Amendment amendment);

    /** Finds the receipt of a recently placed order. */
    Optional<Receipt> find(String orderId);

    /** Streams the parts of an order as they are packed. */
    Stream<Fill> fills(String orderId, int parts);

    /** Lists a customer's orders of a year: more than 1 MiB, which the client fetches by RDMA READ. */
    Report report(String customer, int year);
}
