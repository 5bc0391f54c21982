package io.rdmarpc.demo.live.side;

import io.rdmarpc.demo.Amendment;
import io.rdmarpc.demo.Fill;
import io.rdmarpc.demo.Order;
import io.rdmarpc.demo.OrderService;
import io.rdmarpc.demo.Receipt;
import io.rdmarpc.demo.Report;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.web.client.RestClient;
import tools.jackson.databind.json.JsonMapper;

/**
 * The order service over HTTP. Spring's HTTP interface client has neither futures nor streams, so this class adds them.
 */
final class HttpDesk implements OrderService, AutoCloseable {

    private final HttpOrders orders;
    private final RestClient client;
    private final JsonMapper json;
    private final ExecutorService waiting = Executors.newVirtualThreadPerTaskExecutor();

    HttpDesk(HttpOrders orders, RestClient client, JsonMapper json) {
        this.orders = orders;
        this.client = client;
        this.json = json;
    }

    @Override
    public Receipt place(Order order) {
        return orders.place(order);
    }

    @Override
    public CompletableFuture<Receipt> placeLater(Order order) {
        return CompletableFuture.supplyAsync(() -> orders.place(order), waiting);
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
    public Stream<Fill> fills(String orderId, int parts) {
        return client.get()
                .uri("/orders/{orderId}/fills?parts={parts}", orderId, parts)
                .exchange((_, response) -> lines(response), false);
    }

    /** Reads the fills as they arrive. Closing the stream returns the connection to the pool. */
    private Stream<Fill> lines(ClientHttpResponse response) throws IOException {
        if (response.getStatusCode().isError()) {
            try (response) {
                throw new IOException(
                        "reading the fills failed: the server responded with status " + response.getStatusCode());
            }
        }
        BufferedReader reader = new BufferedReader(new InputStreamReader(response.getBody(), StandardCharsets.UTF_8));
        return reader.lines().map(line -> json.readValue(line, Fill.class)).onClose(() -> {
            try {
                reader.close();
                response.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    @Override
    public Report report(String customer, int year) {
        return new Report(customer, year, orders.report(customer, year));
    }

    @Override
    public void close() {
        waiting.close();
    }
}
