package io.rdmarpc.demo;

import io.rdmarpc.annotation.RdmaClient;
import java.util.stream.Stream;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.ExitCodeGenerator;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;

/**
 * Calls each method once and ends the application. The JDK records in its ahead-of-time cache what these calls needed, so
 * that the first calls of later starts are fast. The profile also starts the server, so one process trains both sides.
 */
@Component
@Profile("training")
class TrainingRun implements ApplicationRunner, ExitCodeGenerator {

    private static final int YEAR = 2026;

    private final OrderService orders;
    private boolean complete;

    TrainingRun(@RdmaClient OrderService orders) {
        this.orders = orders;
    }

    @Override
    public void run(ApplicationArguments args) {
        Order order = OrderRules.order(0);
        Receipt receipt = orders.place(order);
        boolean sameLater = orders.placeLater(order).join().equals(receipt);
        boolean found = orders.find(order.id()).isPresent()
                && orders.amend(new Amendment(order.id(), 2)).isPresent();
        long parts;
        try (Stream<Fill> fills = orders.fills(order.id(), 2)) {
            parts = fills.count();
        }
        complete = sameLater
                && found
                && parts == 2
                && orders.report("customer-0", YEAR).csv().length > 0;
        System.out.println(complete ? "called each method once" : "the training run got a wrong response");
    }

    @Override
    public int getExitCode() {
        return complete ? 0 : 1;
    }
}
