package io.rdmarpc.service;

import io.rdmarpc.rpc.config.LoadLimits;
import io.rdmarpc.service.client.RdmaServiceProxyFactory;
import io.rdmarpc.service.client.routing.RdmaTarget;
import io.rdmarpc.service.codec.ServiceCodecFactory;
import io.rdmarpc.service.codec.kryo.KryoRdmaSerializer;
import io.rdmarpc.service.server.ServiceExporter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;

/** A bean behind the real dispatcher, called by a real proxy with encoded messages: both sides without an engine. */
public final class LoopbackPair {

    public final Loopback channel = new Loopback();
    public final List<RdmaClientInterceptor> clientInterceptors = new ArrayList<>();
    public final List<RdmaServerInterceptor> serverInterceptors = new ArrayList<>();
    public final ServiceCodecFactory codecs =
            KryoRdmaSerializer.codecFactory(LoopbackPair.class.getClassLoader(), List.of());
    public final DefaultListableBeanFactory beans = new DefaultListableBeanFactory();

    private UnaryOperator<RdmaServiceProxyFactory> proxies = UnaryOperator.identity();
    private UnaryOperator<ServiceExporter> exports = UnaryOperator.identity();

    public LoopbackPair withProxies(UnaryOperator<RdmaServiceProxyFactory> settings) {
        proxies = settings;
        return this;
    }

    public LoopbackPair withExports(UnaryOperator<ServiceExporter> settings) {
        exports = settings;
        return this;
    }

    /** Exports a bean and creates a client of it. */
    public <T> T connect(Class<T> type, T bean) {
        beans.registerSingleton("bean " + type.getSimpleName(), bean);
        return client(type);
    }

    /** Exports all registered beans and creates a client of one. */
    public <T> T client(Class<T> type) {
        ServiceExporter exporter = new ServiceExporter(codecs, CallObserver.NONE, Runnable::run, LoadLimits.NONE)
                .withInterceptors(serverInterceptors);
        exports.apply(exporter).export(beans).forEach(channel::export);
        RdmaServiceProxyFactory factory = new RdmaServiceProxyFactory(codecs, CallObserver.NONE, Runnable::run)
                .withInterceptors(clientInterceptors);
        return proxies.apply(factory).create(type, new RdmaTarget("main", "here:1", channel, Duration.ofSeconds(5)));
    }
}
