package io.rdmarpc.demo.live.side;

import io.rdmarpc.demo.OrderService;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.core5.util.Timeout;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.http.client.HttpComponentsClientHttpRequestFactory;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.support.RestClientAdapter;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;
import tools.jackson.databind.json.JsonMapper;

/** The HTTP client: one pool of kept-alive connections, large enough for every caller. */
public final class HttpSide implements AutoCloseable {

    private static final int MOST_CONNECTIONS = 300;
    private static final Timeout LONGEST = Timeout.ofSeconds(10);

    private final LongAdder bytes = new LongAdder();
    private final CloseableHttpClient connections;
    private final String url;
    private final boolean local;
    private final HttpDesk desk;
    private final HttpMonitor monitor;

    public HttpSide(String url, JsonMapper json) {
        this.url = url;
        this.local = isLoopback(url);
        this.connections = connections(bytes);
        RestClient client = client(List.of());
        this.desk = new HttpDesk(proxy(client, HttpOrders.class), client, json);
        this.monitor = proxy(client, HttpMonitor.class);
    }

    private static CloseableHttpClient connections(LongAdder bytes) {
        return HttpClients.custom()
                .disableCookieManagement()
                .disableAutomaticRetries()
                .setDefaultRequestConfig(
                        RequestConfig.custom().setResponseTimeout(LONGEST).build())
                .setConnectionManager(new CountedConnections(bytes)
                        .setMaxConnTotal(MOST_CONNECTIONS)
                        .setMaxConnPerRoute(MOST_CONNECTIONS)
                        .setDefaultConnectionConfig(ConnectionConfig.custom()
                                .setConnectTimeout(LONGEST)
                                .setSocketTimeout(LONGEST)
                                .build())
                        .build())
                .build();
    }

    private RestClient client(List<ClientHttpRequestInterceptor> interceptors) {
        return RestClient.builder()
                .baseUrl(url)
                .requestFactory(new HttpComponentsClientHttpRequestFactory(connections))
                .requestInterceptors(all -> all.addAll(interceptors))
                .build();
    }

    private static <T> T proxy(RestClient client, Class<T> type) {
        return HttpServiceProxyFactory.builderFor(RestClientAdapter.create(client))
                .build()
                .createClient(type);
    }

    /** Returns a client whose calls an interceptor observes, on the same connections. */
    public HttpOrders interceptedBy(ClientHttpRequestInterceptor interceptor) {
        return proxy(client(List.of(interceptor)), HttpOrders.class);
    }

    public String url() {
        return url;
    }

    /** Returns whether the server is on this host. */
    public boolean isLocal() {
        return local;
    }

    private static boolean isLoopback(String url) {
        try {
            return InetAddress.getByName(URI.create(url).getHost()).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false;
        }
    }

    public OrderService desk() {
        return desk;
    }

    public HttpMonitor monitor() {
        return monitor;
    }

    public long bytes() {
        return bytes.sum();
    }

    @Override
    public void close() {
        desk.close();
        try {
            connections.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
