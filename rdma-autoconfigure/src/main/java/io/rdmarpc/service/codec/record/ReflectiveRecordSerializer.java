package io.rdmarpc.service.codec.record;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import io.rdmarpc.service.codec.kryo.value.ServiceKryo;
import io.rdmarpc.service.codec.type.Members;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;
import org.jspecify.annotations.Nullable;

/**
 * Uses method handles and boxing. For native images, which cannot define classes, and for Kryos that track
 * references.
 */
final class ReflectiveRecordSerializer extends RecordSerializer {

    private static final MethodType BOXED_GETTER = MethodType.methodType(Object.class, Object.class);

    private final MethodHandle[] getters;
    private final MethodHandle constructor;
    private final ValueSlot[] slots;

    ReflectiveRecordSerializer(Members members) {
        super(members);
        int count = members.count();
        this.getters = new MethodHandle[count];
        for (int i = 0; i < count; i++) {
            getters[i] = members.getter(i).asType(BOXED_GETTER);
        }
        this.constructor = members.constructor()
                .asSpreader(Object[].class, count)
                .asType(MethodType.methodType(Object.class, Object[].class));
        this.slots = new ValueSlot[count];
    }

    @Override
    public void link(ServiceKryo kryo) {
        for (int i = 0; i < slots.length; i++) {
            slots[i] = ValueSlot.of(kryo, members(), i);
        }
    }

    @Override
    public void write(Kryo kryo, Output output, Object value) {
        for (int i = 0; i < slots.length; i++) {
            try {
                slots[i].write((ServiceKryo) kryo, output, (Object) getters[i].invokeExact(value));
            } catch (Error e) {
                throw e;
            } catch (Throwable e) {
                throw traced(e, i);
            }
        }
    }

    @Override
    public Object read(Kryo kryo, Input input, Class<? extends Object> type) {
        @Nullable Object[] values = new @Nullable Object[slots.length];
        int at = 0;
        try {
            for (; at < values.length; at++) {
                values[at] = slots[at].read((ServiceKryo) kryo, input);
            }
            return (Object) constructor.invokeExact(values);
        } catch (Error e) {
            throw e;
        } catch (Throwable e) {
            throw traced(e, at);
        }
    }
}
