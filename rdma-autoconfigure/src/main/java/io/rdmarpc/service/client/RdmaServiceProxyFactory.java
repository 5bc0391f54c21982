package io.rdmarpc.service.client;

import io.rdmarpc.service.CallObserver;
import io.rdmarpc.service.MethodObserver;
import io.rdmarpc.service.RdmaClientInterceptor;
import io.rdmarpc.service.client.routing.RdmaTarget;
import io.rdmarpc.service.client.routing.TargetSessions;
import io.rdmarpc.service.codec.ServiceCodec;
import io.rdmarpc.service.codec.ServiceCodecFactory;
import io.rdmarpc.service.contract.RdmaInvalidServiceException;
import io.rdmarpc.service.contract.ServiceDescription;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import org.springframework.util.ClassUtils;

/**
 * Creates client proxies. Each implements a service's interface and calls the remote service. Everything that is
 * constant for a method is computed at creation, so that calls do little work. Thread-safe. The first call connects.
 *
 * <p>A call waits for its response and throws an {@link io.rdmarpc.rpc.error.RdmaRpcException} or a subclass if there
 * is none. A method that returns a {@link java.util.concurrent.CompletableFuture} never waits. Its arguments must not
 * change before the first connection exists.
 */
public final class RdmaServiceProxyFactory {

    private final ServiceCodecFactory codecs;
    private final CallObserver observer;
    private final ProxyContext context;

    /**
     * Creates a factory without interceptors.
     *
     * @param codecs factory of the codecs of services
     * @param observer observer of calls
     * @param completions executor of the dependents of futures; must not be the polling thread
     */
    public RdmaServiceProxyFactory(ServiceCodecFactory codecs, CallObserver observer, Executor completions) {
        this(codecs, observer, new ProxyContext(completions, List.of(), RetrySettings.DEFAULTS, () -> {}));
    }

    private RdmaServiceProxyFactory(ServiceCodecFactory codecs, CallObserver observer, ProxyContext context) {
        this.codecs = codecs;
        this.observer = observer;
        this.context = context;
    }

    /**
     * Returns a factory whose proxies have interceptors.
     *
     * @param all interceptors of every call, the first one outermost
     * @return a copy of this factory with the interceptors
     */
    public RdmaServiceProxyFactory withInterceptors(List<RdmaClientInterceptor> all) {
        return with(new ProxyContext(context.completions(), all, context.retry(), context.start()));
    }

    /**
     * Returns a factory whose proxies use other retry settings.
     *
     * @param retry settings for idempotent methods that configure no retry
     * @return a copy of this factory with the settings
     */
    public RdmaServiceProxyFactory withRetry(RetrySettings retry) {
        return with(new ProxyContext(context.completions(), context.interceptors(), retry, context.start()));
    }

    /**
     * Returns a factory whose proxies start resources before they connect.
     *
     * @param start run by a call that finds no session, before it connects; must be fast if everything is started
     * @return a copy of this factory with the start action
     */
    public RdmaServiceProxyFactory withStart(Runnable start) {
        return with(new ProxyContext(context.completions(), context.interceptors(), context.retry(), start));
    }

    private RdmaServiceProxyFactory with(ProxyContext changed) {
        return new RdmaServiceProxyFactory(codecs, observer, changed);
    }

    /**
     * Creates a proxy.
     *
     * @param <T> the service's interface
     * @param type the service's interface
     * @param target the target to call; its channel is not closed by the proxy
     * @return the proxy, which also implements {@link RdmaProxy}
     * @throws RdmaInvalidServiceException if the interface is not a valid service
     */
    public <T> T create(Class<T> type, RdmaTarget target) {
        ServiceDescription service = ServiceDescription.of(type);
        Map<Method, ClientMethod> methods = methodsOf(service, target);
        Object proxy = Proxy.newProxyInstance(
                loaderOf(type),
                new Class<?>[] {type, RdmaProxy.class},
                new ServiceInvocationHandler(service.name() + " at " + target, methods));
        return type.cast(proxy);
    }

    private Map<Method, ClientMethod> methodsOf(ServiceDescription service, RdmaTarget target) {
        ServiceCodec codec = codecs.codecOf(service);
        TargetSessions sessions = TargetSessions.of(target.channel(), codec.contract());
        Map<Method, ClientMethod> methods = new HashMap<>();
        service.calls()
                .forEach(method -> methods.put(
                        method.declaration(),
                        new ClientMethod(
                                method,
                                target,
                                sessions,
                                codec,
                                MethodObserver.harmless(
                                        observer.client(service.name(), method.name(), target.name(), target.server())),
                                context)));
        return methods;
    }

    /**
     * Returns the class loader that sees both interfaces: the service's, unless that is a parent of this library's.
     */
    private static ClassLoader loaderOf(Class<?> type) {
        ClassLoader own = RdmaProxy.class.getClassLoader();
        ClassLoader theirs = type.getClassLoader();
        return theirs != null && ClassUtils.isVisible(RdmaProxy.class, theirs) ? theirs : own;
    }
}
