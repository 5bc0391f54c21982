package io.rdmarpc.service.codec;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.Registration;
import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.SerializerFactory.BaseSerializerFactory;
import com.esotericsoftware.kryo.util.DefaultInstantiatorStrategy;
import io.rdmarpc.service.codec.BoundedSerializers.Elements;
import io.rdmarpc.service.codec.BoundedSerializers.Entries;
import io.rdmarpc.service.codec.BoundedSerializers.ObjectArray;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import org.objenesis.strategy.StdInstantiatorStrategy;

/** A Kryo that knows the standard types, trusts no length in a message, and numbers further classes from where it is told. */
@SuppressWarnings({"rawtypes", "unchecked"})
final class ServiceKryo extends Kryo {

    /** More than a sane value needs and less than a stack holds: a cyclic value ends here, with words. */
    static final int MAX_DEPTH = 256;

    private int nextId;

    ServiceKryo(ClassLoader classLoader) {
        super(new ServiceClassResolver(), null);
        setClassLoader(classLoader);
        setRegistrationRequired(true);
        setMaxDepth(MAX_DEPTH);
        setOptimizedGenerics(false);
        setInstantiatorStrategy(new DefaultInstantiatorStrategy(new StdInstantiatorStrategy()));
        byDefault(Record.class, RecordSerializer::new);
        byDefault(Object[].class, (kryo, type) -> new ObjectArray(type.getComponentType()));
        byDefault(Collection.class, (kryo, type) -> new Elements(size -> (Collection<Object>) kryo.newInstance(type)));
        byDefault(Map.class, (kryo, type) -> new Entries(size -> (Map<Object, Object>) kryo.newInstance(type)));
        StandardTypes.register(this);
        nextId = StandardTypes.FIRST_SERVICE_ID;
    }

    private void byDefault(Class<?> type, BiFunction<Kryo, Class<?>, Serializer<?>> factory) {
        addDefaultSerializer(type, new BaseSerializerFactory<Serializer>() {
            @Override
            public Serializer newSerializer(Kryo kryo, Class each) {
                return factory.apply(kryo, (Class<?>) each);
            }
        });
    }

    @Override
    protected String unregisteredClassMessage(Class type) {
        return type.getName() + " is not among the classes that may travel: use it in the signatures of the service, or"
                + " register it in a KryoCustomizer bean, on both sides";
    }

    /** Kryo's own choice would fill the gaps that are left for standard types to come. */
    @Override
    public int getNextRegistrationId() {
        while (getRegistration(nextId) != null) {
            nextId++;
        }
        return nextId;
    }

    void registerServiceTypes(Collection<Class<?>> types) {
        types.forEach(this::register);
    }

    /** From now on, collections that have no number of their own travel as their carriers. */
    void useCarriers() {
        ((ServiceClassResolver) getClassResolver()).useCarriers();
    }

    List<Registration> registrationsFrom(int firstId) {
        return IntStream.range(firstId, getNextRegistrationId())
                .mapToObj(this::getRegistration)
                .filter(Objects::nonNull)
                .toList();
    }
}
