package io.rdmarpc.service.server;

import io.rdmarpc.annotation.RdmaMethod;
import io.rdmarpc.rpc.LoadLimits;
import io.rdmarpc.rpc.ServiceExport;
import io.rdmarpc.service.CallObserver;
import io.rdmarpc.service.InvalidServiceException;
import io.rdmarpc.service.MethodObserver;
import io.rdmarpc.service.RdmaServerInterceptor;
import io.rdmarpc.service.ServiceDescription;
import io.rdmarpc.service.ServiceMethod;
import io.rdmarpc.service.codec.ServiceCodec;
import io.rdmarpc.service.codec.ServiceCodecFactory;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.annotation.AnnotatedElementUtils;

/** Turns beans into services that an engine can offer. Used at start-up. */
public final class ServiceExporter {

    private static final MethodType INVOKER = MethodType.methodType(Object.class, Object[].class);

    private final ServiceCodecFactory codecs;
    private final CallObserver observer;
    private final Executor workers;
    private final CallGate gate;
    private final Duration maxQueueTime;
    private final List<RdmaServerInterceptor> interceptors;

    /**
     * Creates an exporter without interceptors.
     *
     * @param codecs gives each service its serialization
     * @param observer hears about calls
     * @param workers runs methods that may block
     * @param limits calls of all services that may be unanswered at a time, 0 for any number, and how long one may wait
     *     for a thread
     */
    public ServiceExporter(ServiceCodecFactory codecs, CallObserver observer, Executor workers, LoadLimits limits) {
        this(codecs, observer, workers, new CallGate(limits.maxConcurrentCalls()), limits.maxQueueTime(), List.of());
    }

    private ServiceExporter(
            ServiceCodecFactory codecs,
            CallObserver observer,
            Executor workers,
            CallGate gate,
            Duration maxQueueTime,
            List<RdmaServerInterceptor> interceptors) {
        this.codecs = codecs;
        this.observer = observer;
        this.workers = workers;
        this.gate = gate;
        this.maxQueueTime = maxQueueTime;
        this.interceptors = List.copyOf(interceptors);
    }

    /**
     * Makes an exporter whose services have interceptors.
     *
     * @param all stand around every call, the first one outermost
     * @return an exporter that is the same otherwise
     */
    public ServiceExporter withInterceptors(List<RdmaServerInterceptor> all) {
        return new ServiceExporter(codecs, observer, workers, gate, maxQueueTime, all);
    }

    CallGate gate() {
        return gate;
    }

    /**
     * Exports every bean that implements a service.
     *
     * @param beans where they are
     * @return the services, none when no bean implements one
     * @throws InvalidServiceException when an interface cannot be a service, or two beans implement the same one
     */
    public List<ServiceExport> export(ConfigurableListableBeanFactory beans) {
        List<ServiceBean> found = List.copyOf(new ServiceBeans(beans).find());
        requireDistinctNames(found);
        return found.stream().map(this::exportOf).toList();
    }

    private static void requireDistinctNames(List<ServiceBean> found) {
        Map<String, ServiceBean> byName = new HashMap<>();
        for (ServiceBean bean : found) {
            String service = ServiceDescription.of(bean.type()).name();
            ServiceBean other = byName.put(service, bean);
            if (other != null) {
                throw new InvalidServiceException(
                        "the beans '" + other.name() + "' and '" + bean.name() + "' implement two interfaces, "
                                + other.type().getName() + " and " + bean.type().getName()
                                + ", that have the same service name " + service,
                        "Give one of them another @RdmaService(name = ...)");
            }
        }
    }

    private ServiceExport exportOf(ServiceBean bean) {
        ServiceDescription service = ServiceDescription.of(bean.type());
        ServiceCodec codec = codecs.codecOf(service);
        List<ServiceExport.Method> methods = service.methods().stream()
                .map(method -> new ServiceExport.Method(method.id(), handlerOf(method, bean, codec), null))
                .toList();
        return new ServiceExport(codec.contract(), methods);
    }

    /** The engine always calls it on the polling thread; it hands over by itself, and so can refuse before that. */
    private ServerMethod handlerOf(ServiceMethod method, ServiceBean bean, ServiceCodec codec) {
        RdmaMethod settings = settingsOf(method.declaration(), bean.targetClass());
        boolean inline = settings != null && settings.execution() == RdmaMethod.Execution.INLINE;
        if (inline && method.streaming()) {
            throw new InvalidServiceException(
                    method
                            + " streams and is INLINE, but a stream waits for its client, and the polling thread must not",
                    "Leave @RdmaMethod(execution = INLINE) out");
        }
        return new ServerMethod(
                method,
                invokerOf(method.declaration(), bean.bean()),
                codec.method(method),
                gate,
                inline ? null : workers,
                settings != null && settings.interruptible() && !inline,
                maxQueueTime,
                interceptors,
                MethodObserver.harmless(observer.server(method.service(), method.name())));
    }

    /** Annotations of the implementing method win over those of the interface. */
    private static @Nullable RdmaMethod settingsOf(Method method, Class<?> targetClass) {
        return AnnotatedElementUtils.findMergedAnnotation(
                AopUtils.getMostSpecificMethod(method, targetClass), RdmaMethod.class);
    }

    private static MethodHandle invokerOf(Method method, Object bean) {
        try {
            // The interface need not be public.
            method.setAccessible(true);
            return MethodHandles.lookup()
                    .unreflect(method)
                    .bindTo(bean)
                    .asSpreader(Object[].class, method.getParameterCount())
                    .asType(INVOKER);
        } catch (IllegalAccessException e) {
            throw new InvalidServiceException(
                    method + " cannot be called: " + e.getMessage(), "Make the interface public, or open its module");
        }
    }
}
