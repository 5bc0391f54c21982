package io.rdmarpc.service.codec.kryo;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.KryoException;
import io.rdmarpc.service.codec.type.Members;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;
import org.jspecify.annotations.Nullable;

/** Reads the members of a value as objects, and creates a value from its members. */
abstract class MemberAccess {

    private static final MethodType GETTER = MethodType.methodType(Object.class, Object.class);
    private static final MethodType SETTER = MethodType.methodType(void.class, Object.class, Object.class);
    private static final MethodType CONSTRUCTOR = MethodType.methodType(Object.class, Object[].class);

    private final MethodHandle[] getters;

    private MemberAccess(Members members) {
        this.getters = new MethodHandle[members.count()];
        for (int i = 0; i < getters.length; i++) {
            getters[i] = members.getter(i).asType(GETTER);
        }
    }

    static MemberAccess of(Members members) {
        return members.type().isRecord() ? new OfRecord(members) : new OfClass(members);
    }

    final @Nullable Object get(int member, Object value) {
        try {
            return (Object) getters[member].invokeExact(value);
        } catch (Throwable e) {
            throw unchecked(e);
        }
    }

    abstract Object make(Kryo kryo, @Nullable Object[] values);

    static RuntimeException unchecked(Throwable e) {
        return switch (e) {
            case Error error -> throw error;
            case RuntimeException known -> known;
            default -> new KryoException(e);
        };
    }

    private static final class OfRecord extends MemberAccess {

        private final MethodHandle constructor;

        OfRecord(Members members) {
            super(members);
            this.constructor = members.constructor()
                    .asSpreader(Object[].class, members.count())
                    .asType(CONSTRUCTOR);
        }

        @Override
        Object make(Kryo kryo, @Nullable Object[] values) {
            try {
                return (Object) constructor.invokeExact(values);
            } catch (Throwable e) {
                throw unchecked(e);
            }
        }
    }

    /** A class, whose fields are set one by one. */
    static final class OfClass extends MemberAccess {

        private final Class<?> type;
        private final MethodHandle[] setters;

        OfClass(Members members) {
            super(members);
            this.type = members.type();
            this.setters = new MethodHandle[members.count()];
            for (int i = 0; i < setters.length; i++) {
                setters[i] = members.setter(i).asType(SETTER);
            }
        }

        Object create(Kryo kryo) {
            return kryo.newInstance(type);
        }

        void set(Object made, int member, @Nullable Object value) {
            try {
                setters[member].invokeExact(made, value);
            } catch (Throwable e) {
                throw unchecked(e);
            }
        }

        @Override
        Object make(Kryo kryo, @Nullable Object[] values) {
            Object made = create(kryo);
            for (int i = 0; i < setters.length; i++) {
                set(made, i, values[i]);
            }
            return made;
        }
    }
}
