package io.rdmarpc.service.memory;

import io.rdmarpc.remote.lease.WriteListener;
import io.rdmarpc.remote.lease.WriteNotification;
import io.rdmarpc.service.contract.RdmaInvalidServiceException;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import org.springframework.util.ReflectionUtils;

/** A method of a bean that handles notifications of writes. Its parameters are resolved once. */
final class ListenerMethod implements WriteListener {

    private static final Map<Class<?>, Function<WriteNotification, Object>> KNOWN = Map.of(
            WriteNotification.class, notification -> notification,
            MemorySegment.class, WriteNotification::memory,
            int.class, WriteNotification::tag,
            UUID.class, WriteNotification::peer);

    private final Object bean;
    private final Method method;
    private final List<Function<WriteNotification, Object>> arguments;

    /**
     * Resolves the parameters of the method.
     *
     * @param bean the bean
     * @param method a method that is callable on the bean
     * @throws RdmaInvalidServiceException if a parameter has an unsupported type, or two have the same type
     */
    ListenerMethod(Object bean, Method method) {
        this.bean = bean;
        this.method = method;
        this.arguments = Arrays.stream(method.getParameterTypes())
                .map(type -> argument(method, type))
                .toList();
        if (Arrays.stream(method.getParameterTypes()).distinct().count() < arguments.size()) {
            throw unfit(method, "has two parameters of the same type");
        }
        ReflectionUtils.makeAccessible(method);
    }

    private static Function<WriteNotification, Object> argument(Method method, Class<?> type) {
        Function<WriteNotification, Object> argument = KNOWN.get(type);
        if (argument == null) {
            throw unfit(method, "has a parameter of the unsupported type " + type.getName());
        }
        return argument;
    }

    private static RdmaInvalidServiceException unfit(Method method, String problem) {
        return new RdmaInvalidServiceException(
                "The @RemoteWriteListener method " + method.toGenericString() + " " + problem,
                "Use parameters of type WriteNotification, MemorySegment (the memory), int (the tag) and UUID (the "
                        + "peer), each at most once");
    }

    @Override
    public void onWrite(WriteNotification notification) {
        Object[] values = new Object[arguments.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = arguments.get(i).apply(notification);
        }
        ReflectionUtils.invokeMethod(method, bean, values);
    }

    @Override
    public String toString() {
        return method.toString();
    }
}
