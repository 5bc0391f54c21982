package io.rdmarpc.service.codec;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Writes a record as its components in the order of their declaration, and reads it through its canonical constructor. */
final class RecordSerializer extends Serializer<Record> {

    private static final MethodType ACCESSOR = MethodType.methodType(Object.class, Object.class);
    private static final MethodType CONSTRUCTOR = MethodType.methodType(Object.class, Object[].class);

    private final Component[] components;
    private final MethodHandle constructor;

    RecordSerializer(Kryo kryo, Class<?> type) {
        super(false, true);
        RecordComponent[] declared = type.getRecordComponents();
        this.components = Arrays.stream(declared)
                .map(component -> Component.of(kryo, component))
                .toArray(Component[]::new);
        this.constructor = constructor(type, declared);
    }

    private static MethodHandle constructor(Class<?> type, RecordComponent[] components) {
        Class<?>[] types =
                Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
        try {
            Constructor<?> canonical = type.getDeclaredConstructor(types);
            canonical.setAccessible(true);
            return MethodHandles.lookup()
                    .unreflectConstructor(canonical)
                    .asSpreader(Object[].class, types.length)
                    .asType(CONSTRUCTOR);
        } catch (ReflectiveOperationException e) {
            throw new KryoException("cannot use the canonical constructor of " + type.getName(), e);
        }
    }

    @Override
    public void write(Kryo kryo, Output output, Record value) {
        for (Component component : components) {
            component.write(kryo, output, value);
        }
    }

    @Override
    public Record read(Kryo kryo, Input input, Class<? extends Record> type) {
        @Nullable Object[] values = new @Nullable Object[components.length];
        for (int i = 0; i < values.length; i++) {
            values[i] = components[i].read(kryo, input);
        }
        try {
            return (Record) (Object) constructor.invokeExact(values);
        } catch (Throwable e) {
            throw traced(e, "the constructor of " + type.getName());
        }
    }

    private static KryoException traced(Throwable e, String place) {
        KryoException failure = e instanceof KryoException known ? known : new KryoException(e);
        failure.addTrace(place);
        return failure;
    }

    private record Component(String name, MethodHandle accessor, ValueSlot slot) {

        static Component of(Kryo kryo, RecordComponent component) {
            Method accessor = component.getAccessor();
            accessor.setAccessible(true);
            try {
                return new Component(
                        component.getName() + " ("
                                + component.getDeclaringRecord().getName() + ")",
                        MethodHandles.lookup().unreflect(accessor).asType(ACCESSOR),
                        ValueSlot.of(kryo, component.getType()));
            } catch (IllegalAccessException e) {
                throw new KryoException("cannot read " + accessor, e);
            }
        }

        void write(Kryo kryo, Output output, Object holder) {
            Object value = valueIn(holder);
            try {
                slot.write(kryo, output, value);
            } catch (RuntimeException e) {
                throw traced(e, name);
            }
        }

        private @Nullable Object valueIn(Object holder) {
            try {
                return (Object) accessor.invokeExact(holder);
            } catch (Throwable e) {
                throw traced(e, name);
            }
        }

        @Nullable
        Object read(Kryo kryo, Input input) {
            try {
                return slot.read(kryo, input);
            } catch (RuntimeException e) {
                throw traced(e, name);
            }
        }
    }
}
