package io.rdmarpc.service.server;

import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.service.RdmaAdvice;
import io.rdmarpc.service.RdmaExceptionHandler;
import io.rdmarpc.service.RdmaExceptionMapper;
import io.rdmarpc.service.RdmaStatusException;
import io.rdmarpc.service.ServerCallContext;
import io.rdmarpc.service.contract.RdmaInvalidServiceException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationAwareOrderComparator;
import org.springframework.util.ReflectionUtils;

/** The exception handlers of one advice bean. */
final class AdviceMapper implements RdmaExceptionMapper {

    private static final Log LOG = LogFactory.getLog(AdviceMapper.class);

    private final Object bean;
    private final Map<Class<?>, Method> handlers = new HashMap<>();

    private AdviceMapper(String name, Object bean) {
        this.bean = bean;
        Class<?> type = AopUtils.getTargetClass(bean);
        MethodIntrospector.selectMethods(type, (MethodIntrospector.MetadataLookup<Boolean>)
                        method -> AnnotatedElementUtils.hasAnnotation(method, RdmaExceptionHandler.class) ? true : null)
                .keySet()
                .forEach(method -> add(name, AopUtils.selectInvocableMethod(method, bean.getClass())));
    }

    /** Returns the mappers of all advice beans, in their order. */
    static List<RdmaExceptionMapper> of(ConfigurableListableBeanFactory beans) {
        return Arrays.stream(beans.getBeanNamesForAnnotation(RdmaAdvice.class))
                .map(name -> new AdviceMapper(name, beans.getBean(name)))
                .sorted(Comparator.comparing(mapper -> mapper.bean, AnnotationAwareOrderComparator.INSTANCE))
                .<RdmaExceptionMapper>map(mapper -> mapper)
                .toList();
    }

    private void add(String name, Method method) {
        requireHandlerSignature(name, method);
        ReflectionUtils.makeAccessible(method);
        Method other = handlers.put(method.getParameterTypes()[0], method);
        if (other != null) {
            throw new RdmaInvalidServiceException(
                    "the methods " + other.getName() + " and " + method.getName() + " of bean '" + name
                            + "' both handle " + method.getParameterTypes()[0].getName(),
                    "Remove one of the two methods");
        }
    }

    private static void requireHandlerSignature(String name, Method method) {
        Class<?>[] parameters = method.getParameterTypes();
        Class<?> returned = method.getReturnType();
        boolean takes = parameters.length > 0
                && parameters.length <= 2
                && Throwable.class.isAssignableFrom(parameters[0])
                && (parameters.length == 1 || parameters[1] == ServerCallContext.class);
        boolean returns = returned == RpcStatus.class || RdmaStatusException.class.isAssignableFrom(returned);
        if (!takes || !returns) {
            throw new RdmaInvalidServiceException(
                    "the method " + method.getName() + " of bean '" + name + "' takes " + Arrays.toString(parameters)
                            + " and returns " + returned.getSimpleName()
                            + ", which is not the signature of an exception handler",
                    "Declare a parameter for the exception, optionally a ServerCallContext, and return"
                            + " RdmaStatusException or RpcStatus");
        }
    }

    @Override
    public @Nullable RdmaStatusException map(Throwable thrown, ServerCallContext call) {
        Method handler = handlerOf(thrown.getClass());
        if (handler == null) {
            return null;
        }
        try {
            Object result = handler.getParameterCount() == 1
                    ? handler.invoke(bean, thrown)
                    : handler.invoke(bean, thrown, call);
            return result instanceof RpcStatus status
                    ? new RdmaStatusException(status, String.valueOf(thrown.getMessage()))
                    : (RdmaStatusException) result;
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof RdmaStatusException status) {
                return status;
            }
            LOG.error(
                    "the exception handler " + handler
                            + " threw an exception: the original failure is passed to the next mapper",
                    e.getCause());
            return null;
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(handler + " cannot be called", e);
        }
    }

    private @Nullable Method handlerOf(Class<?> thrown) {
        for (Class<?> type = thrown; type != null; type = type.getSuperclass()) {
            Method handler = handlers.get(type);
            if (handler != null) {
                return handler;
            }
        }
        return null;
    }
}
