package io.rdmarpc.service.codec.kryo.value;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.Registration;
import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.SerializerFactory;
import com.esotericsoftware.kryo.SerializerFactory.BaseSerializerFactory;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import com.esotericsoftware.kryo.util.DefaultInstantiatorStrategy;
import com.esotericsoftware.kryo.util.ObjectMap;
import io.rdmarpc.service.codec.RegionReferences;
import io.rdmarpc.service.codec.SerializationSettings;
import io.rdmarpc.service.codec.kryo.value.BoundedSerializers.Elements;
import io.rdmarpc.service.codec.kryo.value.BoundedSerializers.Entries;
import io.rdmarpc.service.codec.kryo.value.BoundedSerializers.ObjectArray;
import io.rdmarpc.service.codec.limit.HeapEstimate;
import io.rdmarpc.service.codec.limit.MessageBudget;
import io.rdmarpc.service.codec.type.TypeNumbers;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.objenesis.strategy.StdInstantiatorStrategy;

/**
 * A Kryo with the standard types, which does not trust lengths in messages. {@link TypeNumbers} assigns the numbers
 * of classes.
 *
 * <p>Without references, which is the default, it takes fewer steps than Kryo from a value to its serializer, with the
 * same bytes. Generated record serializers hold the serializers of their components. This class only counts the nesting
 * depth.
 */
@SuppressWarnings({"rawtypes", "unchecked"})
public final class ServiceKryo extends Kryo {

    private final @Nullable TypeNumbers numbers;
    private final int maxDepth;
    private final RegionReferences references;
    private final MessageBudget budget;
    private boolean plain;
    private int level;
    private boolean hasContext;

    /** Registration for the next value, with references. */
    private @Nullable Registration carrier;

    public ServiceKryo(
            ClassLoader classLoader, SerializationSettings settings, TypeNumbers numbers, RegionReferences references) {
        super(new ServiceClassResolver(), null);
        this.numbers = numbers;
        this.maxDepth = settings.maxDepth();
        this.references = references;
        this.budget = new MessageBudget(settings);
        setClassLoader(classLoader);
        setRegistrationRequired(true);
        setMaxDepth(maxDepth);
        setOptimizedGenerics(false);
        setInstantiatorStrategy(new DefaultInstantiatorStrategy(new StdInstantiatorStrategy()));
        byDefault(Object[].class, (kryo, type) -> new ObjectArray(type.getComponentType()));
        // Classes of the application may be sorted.
        byDefault(Collection.class, (kryo, type) -> Elements.sorted(() -> (Collection<Object>) kryo.newInstance(type)));
        byDefault(Map.class, (kryo, type) -> Entries.sorted(() -> (Map<Object, Object>) kryo.newInstance(type)));
        StandardSerializers.register(this);
    }

    public void byDefault(Class<?> type, BiFunction<Kryo, Class<?>, Serializer<?>> serializers) {
        addDefaultSerializer(type, factory(serializers));
    }

    /** Sets the serializers of classes that have no other serializer. */
    public void otherwise(BiFunction<Kryo, Class<?>, Serializer<?>> serializers) {
        setDefaultSerializer(factory(serializers));
    }

    private static SerializerFactory<Serializer> factory(BiFunction<Kryo, Class<?>, Serializer<?>> serializers) {
        return new BaseSerializerFactory<>() {
            @Override
            public Serializer newSerializer(Kryo kryo, Class type) {
                return serializers.apply(kryo, (Class<?>) type);
            }
        };
    }

    /** Ends registration. Messages can be written and read afterwards. */
    public void complete() {
        ((ServiceClassResolver) getClassResolver()).complete();
        // References are shared by the whole message and not only within one argument.
        setAutoReset(false);
        plain = !getReferences();
        for (Registration registration : registrations()) {
            if (registration.getSerializer() instanceof LinkedSerializer linked) {
                linked.link(this);
            }
        }
    }

    /** Returns the conversion of regions to tokens. */
    RegionReferences references() {
        return references;
    }

    /** Returns the budget of the message that is being read. */
    public MessageBudget budget() {
        return budget;
    }

    /** Returns whether values are written as trees, without references. */
    public boolean isPlain() {
        return plain;
    }

    public void endMessage() {
        level = 0;
        carrier = null;
        if (!plain || hasContext) {
            hasContext = false;
            reset();
        }
    }

    /** With references, Kryo calls this method once for each value that it has read. */
    @Override
    public void reference(@Nullable Object object) {
        if (!plain && object != null) {
            budget.charge(HeapEstimate.of(object.getClass()));
        }
        super.reference(object);
    }

    /** Returns the graph context, which custom serializers use. It is cleared after each message. */
    @Override
    public ObjectMap getGraphContext() {
        hasContext = true;
        return super.getGraphContext();
    }

    @Override
    protected String unregisteredClassMessage(Class type) {
        return type.getName() + " is not in the service's contract: use it in the signatures of the service, or"
                + " register it in a KryoCustomizer bean, on both sides";
    }

    /**
     * Registers a class with a number of {@link TypeNumbers}. Kryo's own numbers would depend on the order of
     * registrations.
     */
    @Override
    public Registration register(Class type, Serializer serializer) {
        if (numbers == null) {
            // Called by the constructor of the superclass, which numbers primitives itself.
            return super.register(type, serializer);
        }
        Registration known = getClassResolver().getRegistration(type);
        if (known == null) {
            return register(new Registration(type, serializer, numbers.of(type)));
        }
        known.setSerializer(serializer);
        return known;
    }

    /** Returns whether a class has its own number. Other classes may have a carrier. */
    boolean knows(Class<?> type) {
        Registration found = getClassResolver().getRegistration(type);
        return found != null && found.getType() == type;
    }

    /** Returns the enums among the classes of the service. */
    List<Class<?>> enums() {
        List<Class<?>> enums = new ArrayList<>();
        for (Registration registration : registrations()) {
            if (registration.getType().isEnum()) {
                enums.add(registration.getType());
            }
        }
        return enums;
    }

    /** Returns all classes with a number, in order of the numbers. */
    public List<Registration> registrations() {
        return ((ServiceClassResolver) getClassResolver()).registrations();
    }

    /** Enters a value. The caller calls {@link #leave} after the value. */
    public void enter() {
        if (++level > maxDepth) {
            throw tooDeep();
        }
    }

    /** Checks the depth for a value that contains no other values. The caller does not call {@link #leave}. */
    public void touch() {
        if (level >= maxDepth) {
            throw tooDeep();
        }
    }

    /** Enters the elements of a container, if there are any. */
    public void enterElements(int count) {
        if (++level > maxDepth && count > 0) {
            throw tooDeep();
        }
    }

    public void leaveElements() {
        level--;
    }

    private KryoException tooDeep() {
        return new KryoException("Max depth exceeded: values are nested deeper than " + maxDepth
                + ". Remove a cycle in the value, or raise rdma.serialization.max-depth");
    }

    /** Begins to write a value of a known class. Returns false for null, which is then written completely. */
    public static boolean begin(Output output, @Nullable Object value, Serializer serializer) {
        if (!serializer.getAcceptsNull()) {
            output.writeByte(value == null ? NULL : NOT_NULL);
            return value != null;
        }
        return true;
    }

    /** Begins to read a value of a known class. Returns false for null. */
    public static boolean begin(Input input, Serializer serializer) {
        return serializer.getAcceptsNull() || input.readByte() != NULL;
    }

    public void leave() {
        level--;
    }

    private void writeBody(Output output, @Nullable Object value, Serializer serializer) {
        enter();
        serializer.write(this, output, value);
        leave();
    }

    private @Nullable Object readBody(Input input, Class type, Serializer serializer) {
        budget.charge(HeapEstimate.of(type));
        return readCharged(input, type, serializer);
    }

    private @Nullable Object readCharged(Input input, Class type, Serializer serializer) {
        enter();
        Object value = serializer.read(this, input, type);
        leave();
        return value;
    }

    @Override
    public void writeObject(Output output, Object object) {
        if (plain) {
            writeBody(output, object, getRegistration(object.getClass()).getSerializer());
        } else {
            super.writeObject(output, object);
        }
    }

    @Override
    public void writeObject(Output output, Object object, Serializer serializer) {
        if (plain) {
            writeBody(output, object, serializer);
        } else {
            super.writeObject(output, object, serializer);
        }
    }

    @Override
    public void writeObjectOrNull(Output output, @Nullable Object object, Class type) {
        if (plain) {
            writeObjectOrNull(output, object, getRegistration(type).getSerializer());
        } else {
            super.writeObjectOrNull(output, object, type);
        }
    }

    @Override
    public void writeObjectOrNull(Output output, @Nullable Object object, Serializer serializer) {
        if (!plain) {
            super.writeObjectOrNull(output, object, serializer);
        } else if (begin(output, object, serializer)) {
            writeBody(output, object, serializer);
        }
    }

    @Override
    public void writeClassAndObject(Output output, @Nullable Object object) {
        writeClassAndObject(output, object, null);
    }

    private void writeClassAndObject(Output output, @Nullable Object object, @Nullable Class<?> declared) {
        if (!plain) {
            carrier = object == null ? null : Carriers.of(this, object, declared);
            super.writeClassAndObject(output, object);
        } else if (object == null) {
            output.writeByte(NULL);
        } else {
            Registration registration = Carriers.of(this, object, declared);
            output.writeVarInt(registration.getId() + ServiceClassResolver.FIRST_NUMBER, true);
            writeBody(output, object, registration.getSerializer());
        }
    }

    /** Writes like {@link #writeClassAndObject}, with the inline cache of a slot. */
    public void writePolymorphic(Output output, @Nullable Object object, InlineTypeCache cache) {
        if (plain && object != null) {
            writeBody(output, object, cache.begin(this, (KryoOutput) output, object));
        } else {
            writeClassAndObject(output, object, cache.declared());
        }
    }

    /** With references, Kryo calls this method with the class of the next value. */
    @Override
    public @Nullable Registration writeClass(Output output, @Nullable Class type) {
        Registration chosen = carrier;
        if (chosen == null || type == null) {
            return super.writeClass(output, type);
        }
        carrier = null;
        output.writeVarInt(chosen.getId() + ServiceClassResolver.FIRST_NUMBER, true);
        return chosen;
    }

    /** Reads like {@link #readClassAndObject}, with the inline cache of a slot. */
    @Nullable
    public Object readPolymorphic(Input input, InlineTypeCache cache) {
        if (!plain) {
            return readClassAndObject(input);
        }
        Serializer serializer = cache.begin(this, input.readVarInt(true));
        if (serializer == null) {
            return null;
        }
        budget.charge(cache.readBytes());
        return readCharged(input, cache.readType(), serializer);
    }

    /** Returns the class of a number in a message, or null for the number of null. */
    @Nullable
    Registration registrationOf(int number) {
        return ((ServiceClassResolver) getClassResolver()).byNumber(number);
    }

    @Override
    public <T> @Nullable T readObject(Input input, Class<T> type) {
        return plain ? (T) readBody(input, type, getRegistration(type).getSerializer()) : super.readObject(input, type);
    }

    @Override
    public <T> @Nullable T readObject(Input input, Class<T> type, Serializer serializer) {
        return plain ? (T) readBody(input, type, serializer) : super.readObject(input, type, serializer);
    }

    @Override
    public <T> @Nullable T readObjectOrNull(Input input, Class<T> type) {
        return plain
                ? readObjectOrNull(input, type, getRegistration(type).getSerializer())
                : super.readObjectOrNull(input, type);
    }

    @Override
    public <T> @Nullable T readObjectOrNull(Input input, Class<T> type, Serializer serializer) {
        if (!plain) {
            return super.readObjectOrNull(input, type, serializer);
        }
        return begin(input, serializer) ? (T) readBody(input, type, serializer) : null;
    }

    @Override
    public @Nullable Object readClassAndObject(Input input) {
        if (!plain) {
            return super.readClassAndObject(input);
        }
        Registration registration = getClassResolver().readClass(input);
        return registration == null ? null : readBody(input, registration.getType(), registration.getSerializer());
    }
}
