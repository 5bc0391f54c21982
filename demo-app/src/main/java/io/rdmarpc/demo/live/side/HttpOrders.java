package io.rdmarpc.demo.live.side;

import io.rdmarpc.demo.Amendment;
import io.rdmarpc.demo.Order;
import io.rdmarpc.demo.Receipt;
import java.util.Optional;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PostExchange;

/** The order service as a Spring HTTP interface. The server's controller implements it, the client's proxy calls it. */
@HttpExchange("/orders")
public interface HttpOrders {

    /** Places an order and returns its cost. */
    @PostExchange
    Receipt place(@RequestBody Order order);

    /** Changes a recently placed order. */
    @PostExchange("/amendments")
    Optional<Receipt> amend(@RequestBody Amendment amendment);

    /** Finds the receipt of a recently placed order. */
    @GetExchange("/{orderId}")
    Optional<Receipt> find(@PathVariable("orderId") String orderId);

    /** Lists a customer's orders of a year as raw bytes. JSON would be a third larger. */
    @GetExchange(url = "/report", accept = "application/octet-stream")
    byte[] report(@RequestParam("customer") String customer, @RequestParam("year") int year);
}
