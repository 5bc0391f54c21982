package io.rdmarpc.demo.live;

import io.rdmarpc.demo.Amendment;
import io.rdmarpc.demo.Order;
import io.rdmarpc.demo.OrderService;
import io.rdmarpc.demo.Receipt;
import io.rdmarpc.demo.live.side.HttpOrders;
import java.util.Optional;
import org.springframework.context.annotation.Profile;
import org.springframework.web.bind.annotation.RestController;

/** The same bean over HTTP, by an ordinary Spring controller. */
@RestController
@Profile("http")
class OrderController implements HttpOrders {

    private final OrderService orders;

    OrderController(OrderService orders) {
        this.orders = orders;
    }

    @Override
    public Receipt place(Order order) {
        return orders.place(order);
    }

    @Override
    public Optional<Receipt> amend(Amendment amendment) {
        return orders.amend(amendment);
    }

    @Override
    public Optional<Receipt> find(String orderId) {
        return orders.find(orderId);
    }

    @Override
    public byte[] report(String customer, int year) {
        return orders.report(customer, year).csv();
    }
}
