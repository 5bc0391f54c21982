package io.rdmarpc.service.server;

import io.rdmarpc.annotation.RdmaMethod;
import io.rdmarpc.rpc.ServiceExport;
import io.rdmarpc.rpc.config.LoadLimits;
import io.rdmarpc.service.CallObserver;
import io.rdmarpc.service.MethodObserver;
import io.rdmarpc.service.RdmaExceptionMapper;
import io.rdmarpc.service.RdmaServerInterceptor;
import io.rdmarpc.service.codec.ServiceCodec;
import io.rdmarpc.service.codec.ServiceCodecFactory;
import io.rdmarpc.service.contract.MethodSettings;
import io.rdmarpc.service.contract.RdmaInvalidServiceException;
import io.rdmarpc.service.contract.ServiceDescription;
import io.rdmarpc.service.contract.ServiceMethod;
import io.rdmarpc.service.server.call.CallGate;
import io.rdmarpc.service.server.call.ExporterContext;
import io.rdmarpc.service.server.call.ServerMethod;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanNotOfRequiredTypeException;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.task.VirtualThreadTaskExecutor;

/** Exports beans as services of an engine. Used at start-up. */
public final class ServiceExporter {

    private static final Executor VIRTUAL_THREADS = new VirtualThreadTaskExecutor("rdma-server-");
    private static final MethodType INVOKER = MethodType.methodType(Object.class, Object[].class);

    private final ServiceCodecFactory codecs;
    private final CallObserver observer;
    private final Executor workers;
    private final ExporterContext context;

    /**
     * Creates an exporter without interceptors and exception mappers.
     *
     * @param codecs factory of the codecs of services
     * @param observer observer of calls
     * @param workers executor of methods that may block
     * @param limits maximum concurrent calls of all services, 0 for no maximum, and how long a call may wait for a
     *     thread
     */
    public ServiceExporter(ServiceCodecFactory codecs, CallObserver observer, Executor workers, LoadLimits limits) {
        this(
                codecs,
                observer,
                workers,
                new ExporterContext(
                        new CallGate(limits.maxConcurrentCalls()), limits.maxQueueTime(), List.of(), List.of(), false));
    }

    private ServiceExporter(
            ServiceCodecFactory codecs, CallObserver observer, Executor workers, ExporterContext context) {
        this.codecs = codecs;
        this.observer = observer;
        this.workers = workers;
        this.context = context;
    }

    /**
     * Returns an exporter whose services have interceptors.
     *
     * @param all interceptors of every call, the first one outermost
     * @return a copy of this exporter with the interceptors
     */
    public ServiceExporter withInterceptors(List<RdmaServerInterceptor> all) {
        return with(context.withInterceptors(all));
    }

    /**
     * Returns an exporter with further exception mappers.
     *
     * @param all mappers, applied in their order after the methods of advice beans
     * @return a copy of this exporter with the mappers
     */
    public ServiceExporter withExceptionMappers(List<RdmaExceptionMapper> all) {
        return with(context.withMappers(all));
    }

    /**
     * Returns an exporter that permits or forbids debug texts in failures.
     *
     * @param permitted whether a failure has a debug text, such as a stack trace, if its caller requests it
     * @return a copy of this exporter with the setting
     */
    public ServiceExporter withDebugDetails(boolean permitted) {
        return with(context.withDebugDetails(permitted));
    }

    private ServiceExporter with(ExporterContext others) {
        return new ServiceExporter(codecs, observer, workers, others);
    }

    CallGate gate() {
        return context.gate();
    }

    /**
     * Exports every bean that implements a service.
     *
     * @param beans the bean factory
     * @return the services, empty if no bean implements one
     * @throws RdmaInvalidServiceException if an interface is not a valid service, or two beans implement the same one
     */
    public List<ServiceExport> export(ConfigurableListableBeanFactory beans) {
        List<ServiceBean> found = List.copyOf(new ServiceBeans(beans).find());
        requireDistinctNames(found);
        List<RdmaExceptionMapper> mappers = new ArrayList<>(AdviceMapper.of(beans));
        mappers.addAll(context.mappers());
        ExporterContext all = context.withMappers(mappers);
        return found.stream().map(bean -> exportOf(bean, beans, all)).toList();
    }

    private static void requireDistinctNames(List<ServiceBean> found) {
        Map<String, ServiceBean> byName = new HashMap<>();
        for (ServiceBean bean : found) {
            String service = ServiceDescription.of(bean.type()).name();
            ServiceBean other = byName.put(service, bean);
            if (other != null) {
                throw new RdmaInvalidServiceException(
                        "the beans '" + other.name() + "' and '" + bean.name() + "' implement two interfaces, "
                                + other.type().getName() + " and " + bean.type().getName()
                                + ", that have the same service name " + service,
                        "Change the name of one of them with @RdmaService(name = ...)");
            }
        }
    }

    private ServiceExport exportOf(ServiceBean bean, BeanFactory beans, ExporterContext all) {
        ServiceDescription service = ServiceDescription.of(bean.type());
        // Clients use these settings. They are validated here too, because the author of the interface usually starts
        // the server.
        service.calls().forEach(MethodSettings::of);
        ServiceCodec codec = codecs.codecOf(service);
        List<ServiceExport.Method> methods = service.calls().stream()
                .map(method -> new ServiceExport.Method(method.id(), handlerOf(method, bean, codec, beans, all), null))
                .toList();
        return new ServiceExport(codec.contract(), methods);
    }

    /**
     * Creates the handler of a method. The engine always calls it on the polling thread. The handler dispatches calls
     * to the executor itself, so that it can reject calls before that.
     */
    private ServerMethod handlerOf(
            ServiceMethod method, ServiceBean bean, ServiceCodec codec, BeanFactory beans, ExporterContext all) {
        RdmaMethod settings = settingsOf(method.declaration(), bean.targetClass());
        Executor executor = executorOf(method, settings, beans);
        boolean inline = executor == null;
        if (inline && method.streaming()) {
            throw new RdmaInvalidServiceException(
                    method
                            + " streams and is INLINE, but a stream waits for its client and would block the polling"
                            + " thread",
                    "Remove execution = INLINE from @RdmaMethod");
        }
        return new ServerMethod(
                method,
                bean.bean(),
                invokerOf(method.declaration(), bean.bean()),
                codec,
                all,
                executor,
                settings != null && settings.interruptible() && !inline,
                MethodObserver.harmless(observer.server(method.service(), method.name())));
    }

    /** Returns the executor of a method, or null for the polling thread. */
    private @Nullable Executor executorOf(ServiceMethod method, @Nullable RdmaMethod settings, BeanFactory beans) {
        if (settings == null) {
            return workers;
        }
        if (!settings.executor().isEmpty()) {
            return namedExecutor(method, settings.executor(), beans);
        }
        return switch (settings.execution()) {
            case WORKER -> workers;
            case INLINE -> null;
            case VIRTUAL -> VIRTUAL_THREADS;
        };
    }

    private static Executor namedExecutor(ServiceMethod method, String name, BeanFactory beans) {
        try {
            return beans.getBean(name, Executor.class);
        } catch (NoSuchBeanDefinitionException | BeanNotOfRequiredTypeException e) {
            throw new RdmaInvalidServiceException(
                    method + " is configured for the executor '" + name + "', but there is no such bean: "
                            + e.getMessage(),
                    "Define a bean of this name that is an Executor, or correct @RdmaMethod(executor = ...)");
        }
    }

    /**
     * Returns the settings of a method. Annotations of the implementing method take precedence over those of the
     * interface.
     */
    private static @Nullable RdmaMethod settingsOf(Method method, Class<?> targetClass) {
        return AnnotatedElementUtils.findMergedAnnotation(
                AopUtils.getMostSpecificMethod(method, targetClass), RdmaMethod.class);
    }

    private static MethodHandle invokerOf(Method method, Object bean) {
        try {
            // The interface may be non-public.
            method.setAccessible(true);
            return MethodHandles.lookup()
                    .unreflect(method)
                    .bindTo(bean)
                    .asSpreader(Object[].class, method.getParameterCount())
                    .asType(INVOKER);
        } catch (IllegalAccessException e) {
            throw new RdmaInvalidServiceException(
                    method + " cannot be called: " + e.getMessage(), "Make the interface public, or open its module");
        }
    }
}
