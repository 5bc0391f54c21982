package io.rdmarpc.integration.app;

import io.rdmarpc.integration.model.Feed;
import io.rdmarpc.integration.model.FeedApplication;
import java.util.Iterator;
import java.util.stream.Stream;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Serves, calls in every way, and closes. Nothing here waits by Reactor's timers: their threads live as long as the JVM, and
 * hold the loader of the application that first needed them.
 */
public final class RestartedApplication {

    private RestartedApplication() {}

    public static void run() {
        try (ConfigurableApplicationContext server = TestApplication.run(TestApplication.Server.class);
                ConfigurableApplicationContext client = TestApplication.client(server)) {
            Orders orders = client.getBean(Orders.class);
            check(orders.add(1, 2) == 3);
            check(orders.echo(new byte[2 << 20]).length == 2 << 20);
            check(orders.later("later", 1).join().equals("later"));
            try (Stream<Orders.Receipt> receipts = orders.receipts(100)) {
                check(receipts.limit(3).count() == 3);
            }
        }
        try (ConfigurableApplicationContext server = FeedApplication.server();
                ConfigurableApplicationContext client = FeedApplication.client(server)) {
            Feed feed = client.getBean(Feed.class);
            check(feed.mono("empty").blockOptional().isEmpty());
            check(Long.valueOf(10).equals(feed.count(10).count().block()));
            check(feed.sum(Stream.of(1, 2, 3)) == 6);
            Iterator<String> dropped = feed.tenantIterator();
            check(dropped.hasNext());
            feed.tell("word");
        }
    }

    private static void check(boolean right) {
        if (!right) {
            throw new IllegalStateException("a call was answered wrongly");
        }
    }
}
