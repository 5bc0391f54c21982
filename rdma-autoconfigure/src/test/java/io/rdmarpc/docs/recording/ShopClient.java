package io.rdmarpc.docs.recording;

import io.rdmarpc.integration.app.TestApplication;
import java.time.Duration;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;

/** The client of docs/how-to/record-with-jfr.md. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class ShopClient {

    /** The arguments are properties. */
    public static void main(String[] args) throws InterruptedException {
        try (ConfigurableApplicationContext client = TestApplication.run(ShopClient.class, args)) {
            call(client, Duration.ofSeconds(60));
        }
    }

    /** Reads a price and places an order every two milliseconds, on a thread for each. */
    static void call(ConfigurableApplicationContext client, Duration length) throws InterruptedException {
        Prices prices = client.getBean(Prices.class);
        Checkout checkout = client.getBean(Checkout.class);
        long end = System.nanoTime() + length.toNanos();
        Thread readers = repeat("readers", end, () -> prices.find("bolt"));
        Thread orders = repeat("orders", end, () -> checkout.place("bolt"));
        readers.join();
        orders.join();
    }

    private static Thread repeat(String name, long endNanos, Runnable call) {
        return Thread.ofPlatform().name(name).start(() -> {
            while (System.nanoTime() - endNanos < 0) {
                call.run();
                try {
                    Thread.sleep(2);
                } catch (InterruptedException e) {
                    return;
                }
            }
        });
    }
}
