package io.rdmarpc.demo.live.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.demo.Amendment;
import io.rdmarpc.demo.Fill;
import io.rdmarpc.demo.Order;
import io.rdmarpc.demo.OrderRules;
import io.rdmarpc.demo.OrderService;
import io.rdmarpc.demo.Receipt;
import io.rdmarpc.demo.Report;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Callers of an order service that runs in the same process. */
@Timeout(60)
class CallersTest {

    private static final Duration LONG = Duration.ofSeconds(30);

    private final Lane lane = new Lane("RDMA", () -> 0);
    private final LocalDesk desk = new LocalDesk();
    private Callers callers;

    /** Responds at once, and correctly unless {@code wrongPieces} is set. */
    private static final class LocalDesk implements OrderService {

        private final AtomicLong calls = new AtomicLong();
        private volatile int wrongPieces;

        private Receipt receipt(Receipt right) {
            calls.incrementAndGet();
            return new Receipt(right.orderId(), right.total(), right.pieces() + wrongPieces, right.arrivesAt());
        }

        @Override
        public Receipt place(Order order) {
            return receipt(OrderRules.receipt(order));
        }

        @Override
        public CompletableFuture<Receipt> placeLater(Order order) {
            return CompletableFuture.supplyAsync(() -> place(order));
        }

        @Override
        public Optional<Receipt> amend(Amendment amendment) {
            long number = Long.parseLong(amendment.orderId().substring("order-".length()));
            return Optional.of(receipt(OrderRules.amended(OrderRules.receipt(OrderRules.order(number)), amendment)));
        }

        @Override
        public Optional<Receipt> find(String orderId) {
            return Optional.empty();
        }

        @Override
        public Stream<Fill> fills(String orderId, int parts) {
            calls.incrementAndGet();
            return IntStream.range(0, parts - wrongPieces).mapToObj(part -> OrderRules.fill(orderId, part, parts));
        }

        @Override
        public Report report(String customer, int year) {
            calls.incrementAndGet();
            return wrongPieces > 0 ? new Report(customer, year, new byte[1]) : OrderRules.report(customer, year);
        }
    }

    private void start(Workload workload) {
        lane.use(desk);
        startCallers(workload);
    }

    private void startCallers(Workload workload) {
        callers = new Callers(lane, new LoadSettings(workload, Schedule.RDMA, 3, 10, 0), new OrderBook(10));
        callers.start();
    }

    @AfterEach
    void stop() {
        lane.close(LONG);
        callers.stop();
    }

    /** Waits until each caller waits at the turnstile, or pauses because no service is set. */
    private void awaitCallersWaiting() throws InterruptedException {
        for (Thread caller : callers.threads()) {
            // A thread gives no notification when it begins to wait, so the test polls its state.
            while (caller.getState() != Thread.State.TIMED_WAITING) {
                Thread.sleep(1);
            }
        }
    }

    private void awaitCalls(long count) throws InterruptedException {
        // The desk only counts its calls, so the test polls the count.
        while (desk.calls.get() < count) {
            Thread.sleep(1);
        }
    }

    @Test
    void whenTheLaneIsClosedThenNoCallerCalls() throws InterruptedException {
        start(Workload.PLACE);
        awaitCallersWaiting();

        assertThat(callers.threads()).hasSize(3);
        assertThat(desk.calls).hasValue(0);
    }

    @ParameterizedTest
    @EnumSource(Workload.class)
    void whenTheLaneIsOpenThenCallsAreMeasured(Workload workload) throws InterruptedException {
        start(workload);
        lane.open();
        awaitCalls(5);
        lane.close(LONG);
        LaneView view = lane.view();

        assertThat(view.failures()).isZero();
        assertThat(view.calls()).isEqualTo(desk.calls.get());
        assertThat(view.now().calls()).isEqualTo(view.calls());
    }

    @ParameterizedTest
    @EnumSource(Workload.class)
    void whenResponsesAreWrongThenTheyCountAsFailures(Workload workload) throws InterruptedException {
        desk.wrongPieces = 1;
        start(workload);
        lane.open();
        awaitCalls(3);
        lane.close(LONG);
        LaneView view = lane.view();

        assertThat(view.calls()).isZero();
        assertThat(view.failures()).isPositive();
        assertThat(view.lastFailure()).isEqualTo("wrong response");
    }

    @Test
    void whenNoServiceIsSetThenCallersWait() throws InterruptedException {
        lane.open();
        startCallers(Workload.PLACE_ASYNC);
        awaitCallersWaiting();
        lane.use(desk);
        awaitCalls(1);

        assertThat(desk.calls).hasPositiveValue();
    }
}
