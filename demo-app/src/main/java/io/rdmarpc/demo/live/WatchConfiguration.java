package io.rdmarpc.demo.live;

import io.rdmarpc.demo.StageWatch;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.Executor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Profile;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.task.VirtualThreadTaskExecutor;
import org.springframework.web.filter.OncePerRequestFilter;

/** Records the arrival of calls at the server, over RDMA and over HTTP. */
@Configuration(proxyBeanMethods = false)
@Profile("http")
class WatchConfiguration {

    /**
     * The executor on which the starter runs methods, selected by this name. The polling thread calls it on arrival.
     */
    @Bean(defaultCandidate = false)
    Executor rdmaServerExecutor(StageWatch watch) {
        Executor threads = new VirtualThreadTaskExecutor("rdma-server-");
        return task -> {
            if (watch.isOn()) {
                long arrived = System.nanoTime();
                threads.execute(() -> watch.follow(arrived, task));
            } else {
                threads.execute(task);
            }
        };
    }

    @Bean
    @Order(Ordered.HIGHEST_PRECEDENCE)
    Filter watchFilter(StageWatch watch) {
        return new OncePerRequestFilter() {
            @Override
            protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
                    throws ServletException, IOException {
                if (watch.isOn() && request.getRequestURI().equals("/orders")) {
                    follow(watch, chain, request, response);
                } else {
                    chain.doFilter(request, response);
                }
            }
        };
    }

    private static void follow(
            StageWatch watch, FilterChain chain, HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        try {
            watch.follow(System.nanoTime(), () -> {
                try {
                    chain.doFilter(request, response);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                } catch (ServletException e) {
                    throw new IllegalStateException(e);
                }
            });
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }
}
