package io.rdmarpc.benchmarks.peer;

import io.rdmarpc.benchmarks.load.CallMode;
import io.rdmarpc.benchmarks.load.Callers;
import io.rdmarpc.benchmarks.load.Contestant;
import io.rdmarpc.benchmarks.load.Payload;
import io.rdmarpc.benchmarks.load.SentBytes;
import io.rdmarpc.benchmarks.order.Order;
import io.rdmarpc.benchmarks.order.OrderDesk;
import io.rdmarpc.benchmarks.order.OrderRequest;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.http.client.HttpComponentsClientHttpRequestFactory;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.support.RestClientAdapter;
import org.springframework.web.service.annotation.PostExchange;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;

/**
 * HTTP as Spring developers use it without RDMA: an HTTP interface client on {@code RestClient}, a controller on
 * Tomcat, and JSON.
 *
 * @param tuned whether the client uses Apache HttpComponents with 128 pooled connections and the server uses virtual
 *     threads, instead of the defaults
 */
record HttpContestant(boolean tuned) implements Contestant {

    private static final int CONNECTIONS = 128;
    private static final String OCTETS = "application/octet-stream";

    /** The interface that both sides share. */
    interface OrdersOverHttp {

        @PostExchange("/orders")
        Order place(@RequestBody OrderRequest request);

        @PostExchange(url = "/echo", contentType = OCTETS, accept = OCTETS)
        byte[] echo(@RequestBody byte[] bytes);
    }

    /** The controller of the server. */
    @RestController
    static class OrdersController {

        @PostMapping("/orders")
        Order place(@RequestBody OrderRequest request) {
            return OrderDesk.accept(request);
        }

        @PostMapping(path = "/echo", consumes = OCTETS, produces = OCTETS)
        byte[] echo(@RequestBody byte[] bytes) {
            return bytes;
        }
    }

    /** The server application. */
    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class HttpServer {

        @Bean
        OrdersController orders() {
            return new OrdersController();
        }
    }

    @Override
    public CallMode mode(Payload payload, Callers callers) {
        return new CallMode(
                payload.isOrder() ? "typed, JSON" : "byte[]",
                tuned ? "virtual threads" : "Tomcat's threads",
                "none: reads that sleep");
    }

    @Override
    public Server serve() {
        ConfigurableApplicationContext context = new SpringApplicationBuilder(HttpServer.class)
                .web(WebApplicationType.SERVLET)
                .run(
                        "--server.port=0",
                        "--server.address=127.0.0.1",
                        "--rdma.enabled=false",
                        "--spring.threads.virtual.enabled=" + tuned,
                        "--spring.main.banner-mode=off",
                        "--logging.level.root=warn");
        String port = context.getEnvironment().getRequiredProperty("local.server.port");
        return new Server() {
            @Override
            public String address() {
                return port;
            }

            @Override
            public void close() {
                context.close();
            }
        };
    }

    @Override
    public Client connect(String address) {
        RestClient client = RestClient.builder()
                .baseUrl("http://127.0.0.1:" + address)
                .requestFactory(requests())
                .build();
        OrdersOverHttp orders = HttpServiceProxyFactory.builderFor(RestClientAdapter.create(client))
                .build()
                .createClient(OrdersOverHttp.class);
        return new HttpClientOf(orders);
    }

    private ClientHttpRequestFactory requests() {
        return tuned
                ? new HttpComponentsClientHttpRequestFactory(HttpClients.custom()
                        .setConnectionManager(PoolingHttpClientConnectionManagerBuilder.create()
                                .setMaxConnTotal(CONNECTIONS)
                                .setMaxConnPerRoute(CONNECTIONS)
                                .build())
                        .build())
                : new JdkClientHttpRequestFactory();
    }

    private record HttpClientOf(OrdersOverHttp orders) implements Client {

        @Override
        public Caller caller(Payload payload) {
            if (payload.isOrder()) {
                return () -> OrderDesk.check(orders.place(OrderDesk.REQUEST));
            }
            SentBytes sent = new SentBytes(payload, 1);
            return () -> sent.check(0, orders.echo(sent.next(0)));
        }

        @Override
        public void close() {
            // The connections end with the process.
        }
    }
}
