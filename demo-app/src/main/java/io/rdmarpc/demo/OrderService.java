package io.rdmarpc.demo;

import io.rdmarpc.annotation.RdmaService;
import java.util.Optional;

/** What the two processes share: an interface and the records in its signatures. */
@RdmaService
public interface OrderService {

    /** Takes an order and says what it costs. */
    Receipt place(Order order);

    /** Finds the receipt of an order that was placed lately. */
    Optional<Receipt> find(String orderId);

    /** Lists a customer's orders of a year: more than a MiB, which travels by RDMA READ. */
    Report report(String customer, int year);
}
