package io.rdmarpc.demo.live.side;

import io.rdmarpc.demo.OrderService;
import io.rdmarpc.demo.grpc.GrpcDesk;

/** The gRPC client of the server on a port of this host. */
public final class GrpcSide implements AutoCloseable {

    private final int port;
    private final CountedEventLoop connections = new CountedEventLoop();
    private final GrpcDesk desk;

    public GrpcSide(int port) {
        this.port = port;
        this.desk = new GrpcDesk(port, connections::configure);
    }

    public int port() {
        return port;
    }

    public OrderService desk() {
        return desk;
    }

    /** Returns the bytes sent and received, HTTP/2 frames and headers included. */
    public long bytes() {
        return connections.bytes();
    }

    @Override
    public void close() {
        desk.close();
        connections.close();
    }
}
