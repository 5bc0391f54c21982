package io.rdmarpc.integration.events;

import io.rdmarpc.integration.app.Orders;
import io.rdmarpc.integration.app.TestApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** A client in a JVM of its own, which makes a short and a long call and ends. */
public final class RecordedClient {

    private RecordedClient() {}

    /** The arguments are properties. */
    public static void main(String[] args) {
        try (ConfigurableApplicationContext client = TestApplication.run(TestApplication.Client.class, args)) {
            Orders orders = client.getBean(Orders.class);
            orders.add(1, 1);
            orders.later("slow", 50).join();
        }
    }
}
