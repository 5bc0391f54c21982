package io.rdmarpc.demo.live;

import io.rdmarpc.demo.live.load.LoadSettings;
import io.rdmarpc.demo.live.side.HttpSide;
import io.rdmarpc.demo.live.side.RdmaSide;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.springframework.boot.ApplicationArguments;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Profile;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;
import org.springframework.web.filter.OncePerRequestFilter;
import tools.jackson.databind.json.JsonMapper;

/** Configures the process that serves the page: the load, and the clients of the transports. */
@Configuration(proxyBeanMethods = false)
@Profile("page")
class PageConfiguration {

    private static final String LOSS = "rdma.soft.faults.loss";
    private static final String WARM_UP_SECONDS = "demo.warm-up-seconds";
    private static final long DEFAULT_WARM_UP_SECONDS = 60;

    /** Arguments that apply to this process only, or that {@link RdmaSide} sets itself. */
    private static final List<String> NOT_PASSED_ON = List.of(
            "--spring.profiles",
            "--server.",
            "--demo.",
            "--rdma.enabled",
            "--rdma.client.enabled",
            "--rdma.client.targets.default.address",
            "--rdma.server.",
            "--" + LOSS);

    /** A content policy that allows resources of this server only. */
    private static final String CONTENT_POLICY =
            "default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'";

    @Bean
    ServerAddresses serverAddresses(Environment environment) {
        return new ServerAddresses(environment);
    }

    @Bean
    LiveLoad liveLoad(
            ServerAddresses server,
            ApplicationArguments arguments,
            Environment environment,
            JsonMapper json,
            Feed feed) {
        List<String> passedOn = Arrays.stream(arguments.getSourceArgs())
                .filter(argument -> NOT_PASSED_ON.stream().noneMatch(argument::startsWith))
                .toList();
        return new LiveLoad(
                () -> new HttpSide(server.http(), json),
                loss -> RdmaSide.start(passedOn, server.control(), loss),
                LoadSettings.FIRST.withLoss(lossPercent(environment)),
                Duration.ofSeconds(environment.getProperty(WARM_UP_SECONDS, Long.class, DEFAULT_WARM_UP_SECONDS)),
                feed);
    }

    /** Returns the loss in percent that the command line sets. The page's slider starts with it. */
    private static double lossPercent(Environment environment) {
        return 100 * environment.getProperty(LOSS, Double.class, 0.0);
    }

    @Bean
    Filter contentPolicy() {
        return new OncePerRequestFilter() {
            @Override
            protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
                    throws ServletException, IOException {
                // In one process the order service uses this filter too: its responses get no additional headers.
                if (!request.getRequestURI().startsWith("/orders")) {
                    response.setHeader("Content-Security-Policy", CONTENT_POLICY);
                    response.setHeader("X-Content-Type-Options", "nosniff");
                }
                chain.doFilter(request, response);
            }
        };
    }

    /** Addresses of the server: this process's ports if it is a server, otherwise the configured addresses. */
    record ServerAddresses(Environment environment) {

        InetSocketAddress control() {
            String own = environment.getProperty("local.rdma.server.port");
            String address = own == null
                    ? environment.getRequiredProperty("rdma.client.targets.default.address")
                    : "127.0.0.1:" + own;
            URI uri = URI.create("rdma://" + address);
            return new InetSocketAddress(uri.getHost(), uri.getPort());
        }

        String http() {
            String url = environment.getProperty("demo.http-url");
            return StringUtils.hasText(url)
                    ? url
                    : "http://127.0.0.1:" + environment.getRequiredProperty("local.server.port");
        }
    }
}
