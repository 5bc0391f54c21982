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
 * Makes the objects that callers hold: each implements a service's interface and calls the remote one. All that can be
 * known about a method is settled here, so that little is left for a call. Any thread; no connection is made before the
 * first call.
 *
 * <p>A call waits for its answer and throws an {@link io.rdmarpc.rpc.error.RdmaRpcException}, or one of its kinds, when there is
 * none. A method that returns a {@link java.util.concurrent.CompletableFuture} never waits: its arguments must stay as they
 * are until a first connection stands.
 */
public final class RdmaServiceProxyFactory {

    private final ServiceCodecFactory codecs;
    private final CallObserver observer;
    private final ProxyContext context;

    /**
     * Creates a factory without interceptors.
     *
     * @param codecs gives each service its serialization
     * @param observer hears about calls
     * @param completions runs what waits for futures; must not be the polling thread
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
     * Makes a factory whose proxies have interceptors.
     *
     * @param all stand around every call, the first one outermost
     * @return a factory that is the same otherwise
     */
    public RdmaServiceProxyFactory withInterceptors(List<RdmaClientInterceptor> all) {
        return with(new ProxyContext(context.completions(), all, context.retry(), context.start()));
    }

    /**
     * Makes a factory whose proxies try again otherwise.
     *
     * @param retry for idempotent methods that do not say
     * @return a factory that is the same otherwise
     */
    public RdmaServiceProxyFactory withRetry(RetrySettings retry) {
        return with(new ProxyContext(context.completions(), context.interceptors(), retry, context.start()));
    }

    /**
     * Makes a factory whose proxies start what they need.
     *
     * @param start run by a call that finds no session, before it connects; must be quick where there is nothing to start
     * @return a factory that is the same otherwise
     */
    public RdmaServiceProxyFactory withStart(Runnable start) {
        return with(new ProxyContext(context.completions(), context.interceptors(), context.retry(), start));
    }

    private RdmaServiceProxyFactory with(ProxyContext changed) {
        return new RdmaServiceProxyFactory(codecs, observer, changed);
    }

    /**
     * Makes a proxy.
     *
     * @param <T> the service's interface
     * @param type the service's interface
     * @param target whom it calls; its channel stays the caller's
     * @return the proxy, which is an {@link RdmaProxy} too
     * @throws RdmaInvalidServiceException when the interface cannot be a service
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

    /** The loader that sees both interfaces: the service's, unless it comes from a parent of ours. */
    private static ClassLoader loaderOf(Class<?> type) {
        ClassLoader own = RdmaProxy.class.getClassLoader();
        ClassLoader theirs = type.getClassLoader();
        return theirs != null && ClassUtils.isVisible(RdmaProxy.class, theirs) ? theirs : own;
    }
}
