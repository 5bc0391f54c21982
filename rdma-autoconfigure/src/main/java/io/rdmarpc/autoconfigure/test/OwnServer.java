package io.rdmarpc.autoconfigure.test;

import io.rdmarpc.service.client.routing.RdmaInstance;
import io.rdmarpc.service.client.routing.RdmaTargetResolver;
import io.rdmarpc.service.server.RdmaServer;
import io.rdmarpc.service.server.RdmaServerStartedEvent;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationListener;

/** Resolves to the server of this application as soon as it listens, because clients are created long before. */
final class OwnServer implements RdmaTargetResolver, ApplicationListener<RdmaServerStartedEvent> {

    static final String ADDRESS = "own-server:";

    private final ObjectProvider<RdmaServer> server;
    private final List<Consumer<List<RdmaInstance>>> listeners = new CopyOnWriteArrayList<>();

    OwnServer(ObjectProvider<RdmaServer> server) {
        this.server = server;
    }

    @Override
    public boolean supports(String address) {
        return address.equals(ADDRESS);
    }

    @Override
    public synchronized Watch watch(String address, Consumer<List<RdmaInstance>> listener) {
        listeners.add(listener);
        server.ifAvailable(own -> {
            InetSocketAddress listening = own.address();
            if (listening != null) {
                listener.accept(instance(listening));
            }
        });
        return () -> listeners.remove(listener);
    }

    @Override
    public synchronized void onApplicationEvent(RdmaServerStartedEvent event) {
        listeners.forEach(listener -> listener.accept(instance(event.getAddress())));
    }

    private static List<RdmaInstance> instance(InetSocketAddress address) {
        return List.of(new RdmaInstance("own server " + address.getPort(), address, Map.of()));
    }
}
