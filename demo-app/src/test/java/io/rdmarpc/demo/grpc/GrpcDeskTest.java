package io.rdmarpc.demo.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.demo.Amendment;
import io.rdmarpc.demo.Fill;
import io.rdmarpc.demo.Order;
import io.rdmarpc.demo.OrderRules;
import io.rdmarpc.demo.OrderService;
import io.rdmarpc.demo.Receipt;
import io.rdmarpc.demo.Report;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class GrpcDeskTest {

    private final Orders orders = new Orders();
    private final GrpcServer server = new GrpcServer(orders);
    private final Order order = OrderRules.order(5).withInstructions("ring twice");

    private GrpcDesk desk;

    /** A service that knows one order. */
    private static final class Orders implements OrderService {

        @Override
        public Receipt place(Order order) {
            return OrderRules.receipt(order);
        }

        @Override
        public CompletableFuture<Receipt> placeLater(Order order) {
            return CompletableFuture.completedFuture(place(order));
        }

        @Override
        public Optional<Receipt> amend(Amendment amendment) {
            return find(amendment.orderId()).map(receipt -> OrderRules.amended(receipt, amendment));
        }

        @Override
        public Optional<Receipt> find(String orderId) {
            return orderId.equals("order-5") ? Optional.of(OrderRules.receipt(OrderRules.order(5))) : Optional.empty();
        }

        @Override
        public Stream<Fill> fills(String orderId, int parts) {
            return IntStream.range(0, parts).mapToObj(number -> OrderRules.fill(orderId, number, parts));
        }

        @Override
        public Report report(String customer, int year) {
            return OrderRules.report(customer, year);
        }
    }

    @BeforeEach
    void start() {
        server.start();
        desk = new GrpcDesk(server.port());
    }

    @AfterEach
    void stop() {
        desk.close();
        server.stop();
        assertThat(server.isRunning()).isFalse();
    }

    @Test
    void shouldPlaceAnOrder() {
        assertThat(desk.place(order)).isEqualTo(OrderRules.receipt(order));
    }

    @Test
    void shouldPlaceAnOrderLater() {
        assertThat(desk.placeLater(order).join()).isEqualTo(OrderRules.receipt(order));
    }

    @Test
    void shouldAmendAnOrder() {
        Amendment amendment = new Amendment("order-5", 3);
        assertThat(desk.amend(amendment)).isEqualTo(orders.amend(amendment));
    }

    @Test
    void whenAnOrderIsUnknownThenTheResultIsEmpty() {
        assertThat(desk.find("order-6")).isEmpty();
    }

    @Test
    void shouldStreamFills() {
        try (Stream<Fill> fills = desk.fills("order-5", 3)) {
            assertThat(fills)
                    .containsExactlyElementsOf(orders.fills("order-5", 3).toList());
        }
    }

    @Test
    void whenAStreamIsClosedThenTheNextCallWorks() {
        try (Stream<Fill> fills = desk.fills("order-5", 1000)) {
            assertThat(fills.findFirst()).contains(OrderRules.fill("order-5", 0, 1000));
        }
        assertThat(desk.place(order)).isEqualTo(OrderRules.receipt(order));
    }

    @Test
    void shouldFetchAReport() {
        Report expected = OrderRules.report("customer-1", 2026);
        Report report = desk.report("customer-1", 2026);
        assertThat(report.customer()).isEqualTo("customer-1");
        assertThat(report.year()).isEqualTo(2026);
        assertThat(report.csv()).isEqualTo(expected.csv());
    }
}
