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

/** A bean's method that is told of writes. What it takes is found out once. */
final class ListenerMethod implements WriteListener {

    private static final Map<Class<?>, Function<WriteNotification, Object>> KNOWN = Map.of(
            WriteNotification.class, notice -> notice,
            MemorySegment.class, WriteNotification::memory,
            int.class, WriteNotification::tag,
            UUID.class, WriteNotification::peer);

    private final Object bean;
    private final Method method;
    private final List<Function<WriteNotification, Object>> arguments;

    /**
     * Looks at the method.
     *
     * @param bean whose method
     * @param method may be called on the bean
     * @throws RdmaInvalidServiceException when it wants something that there is not
     */
    ListenerMethod(Object bean, Method method) {
        this.bean = bean;
        this.method = method;
        this.arguments = Arrays.stream(method.getParameterTypes())
                .map(type -> argument(method, type))
                .toList();
        if (Arrays.stream(method.getParameterTypes()).distinct().count() < arguments.size()) {
            throw unfit(method, "takes the same twice");
        }
        ReflectionUtils.makeAccessible(method);
    }

    private static Function<WriteNotification, Object> argument(Method method, Class<?> type) {
        Function<WriteNotification, Object> argument = KNOWN.get(type);
        if (argument == null) {
            throw unfit(method, "wants a " + type.getName());
        }
        return argument;
    }

    private static RdmaInvalidServiceException unfit(Method method, String problem) {
        return new RdmaInvalidServiceException(
                "the @RemoteWriteListener method " + method.toGenericString() + " " + problem,
                "Let it take WriteNotification, MemorySegment (the memory), int (the tag) and UUID (the peer), each at most once");
    }

    @Override
    public void onWrite(WriteNotification notice) {
        Object[] values = new Object[arguments.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = arguments.get(i).apply(notice);
        }
        ReflectionUtils.invokeMethod(method, bean, values);
    }

    @Override
    public String toString() {
        return method.toString();
    }
}
