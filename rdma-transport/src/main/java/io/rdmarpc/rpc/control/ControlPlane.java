package io.rdmarpc.rpc.control;

import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.RpcServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** All control connections of one runtime, as server and as client. Any thread. */
public final class ControlPlane {

    private final ControlEngines engines;
    private final Set<ControlServer> servers = ConcurrentHashMap.newKeySet();
    private final Set<Channel> channels = ConcurrentHashMap.newKeySet();
    private volatile boolean running;

    /**
     * Makes a control plane; it refuses to connect or listen until {@link #start}.
     *
     * @param engines the engines that sessions are spread over, on one NIC
     */
    public ControlPlane(List<ControlParts> engines) {
        this.engines = new ControlEngines(engines);
    }

    /** Allows connections. */
    public void start() {
        running = true;
    }

    /**
     * Listens for clients.
     *
     * @param address where, port 0 for any
     * @return the listening server, to be closed by the caller
     */
    public RpcServer listen(InetSocketAddress address) {
        if (!running) {
            throw new IllegalStateException("the runtime is not running: start it before it listens");
        }
        ControlServer server = ControlServer.open(engines, address);
        servers.add(server);
        return server;
    }

    /**
     * Makes a channel; it connects when it is first used.
     *
     * @param target the target's name, for messages
     * @param address where its control port is
     * @return the channel, to be closed by the caller
     */
    public RpcChannel channel(String target, InetSocketAddress address) {
        Channel channel = new Channel(this, target, address);
        channels.add(channel);
        return channel;
    }

    ClientControl connect(InetSocketAddress address, Duration timeout) throws IOException {
        if (!running) {
            throw new IOException("the RDMA runtime of this process is not running");
        }
        ControlEngines.Engine engine = engines.next();
        return ClientControl.connect(engine.parts(), engine.budget(), address, timeout);
    }

    Duration connectTimeout() {
        return engines.first().parts().config().connectTimeout();
    }

    void forget(Channel channel) {
        channels.remove(channel);
    }

    /** Takes no new clients; sessions go on. */
    public void stopAccepting() {
        servers.forEach(ControlServer::stopAccepting);
    }

    /** Says goodbye to everyone and waits a little for the engine to let the sessions go. Channels can be used again. */
    public void stop() {
        running = false;
        servers.forEach(ControlServer::close);
        servers.clear();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(2);
        channels.forEach(channel -> channel.disconnect("the client is closing"));
        try {
            for (Channel channel : channels) {
                channel.awaitReleased(deadline);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
