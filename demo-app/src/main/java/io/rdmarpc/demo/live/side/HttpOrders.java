package io.rdmarpc.demo.live.side;

import io.rdmarpc.demo.Amendment;
import io.rdmarpc.demo.Order;
import io.rdmarpc.demo.Receipt;
import java.util.Optional;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.annotation.PostExchange;

/** The order service as an HTTP interface of Spring: the server's controller implements it, the client's proxy calls it. */
@HttpExchange("/orders")
public interface HttpOrders {

    /** Takes an order and says what it costs. */
    @PostExchange
    Receipt place(@RequestBody Order order);

    /** Changes an order that was placed lately. */
    @PostExchange("/amendments")
    Optional<Receipt> amend(@RequestBody Amendment amendment);

    /** Lists a customer's orders of a year, as they are: JSON would make a third more of it. */
    @GetExchange(url = "/report", accept = "application/octet-stream")
    byte[] report(@RequestParam("customer") String customer, @RequestParam("year") int year);
}
