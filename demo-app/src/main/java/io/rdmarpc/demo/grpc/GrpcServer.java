package io.rdmarpc.demo.grpc;

import io.grpc.Server;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.rdmarpc.demo.OrderService;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;

/**
 * Serves the orders over gRPC on a free port of the loopback interface: plaintext, grpc-java's Netty transport and its
 * default executor.
 */
@Component
@Profile("grpc")
public final class GrpcServer implements SmartLifecycle {

    private final OrderService orders;
    private @Nullable Server server;

    GrpcServer(OrderService orders) {
        this.orders = orders;
    }

    @Override
    public void start() {
        try {
            server = NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                    .addService(new GrpcOrderDesk(orders))
                    .build()
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "could not start the gRPC server on a free port of the loopback interface", e);
        }
    }

    /** Returns the port on which the server listens. */
    public int port() {
        if (server == null) {
            throw new IllegalStateException("the gRPC server has not started");
        }
        return server.getPort();
    }

    @Override
    public void stop() {
        if (server != null) {
            server.shutdownNow();
            server = null;
        }
    }

    @Override
    public boolean isRunning() {
        return server != null;
    }
}
