package io.rdmarpc.service.codec.kryo;

import com.esotericsoftware.kryo.Registration;
import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.serializers.FieldSerializer;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.service.codec.RegionReferences;
import io.rdmarpc.service.codec.SerializationSettings;
import io.rdmarpc.service.codec.kryo.value.BoundedSerializers;
import io.rdmarpc.service.codec.kryo.value.EnumContainers;
import io.rdmarpc.service.codec.kryo.value.ServiceKryo;
import io.rdmarpc.service.codec.kryo.value.SortedSerializers;
import io.rdmarpc.service.codec.kryo.value.SqlSerializers;
import io.rdmarpc.service.codec.kryo.value.ZonedDateTimeSerializer;
import io.rdmarpc.service.codec.record.MemberwiseSerializer;
import io.rdmarpc.service.codec.record.RecordSerializers;
import io.rdmarpc.service.codec.type.ContractTypes;
import io.rdmarpc.service.codec.type.Members;
import io.rdmarpc.service.codec.type.StandardTypes;
import io.rdmarpc.service.codec.type.TypeNumbers;
import io.rdmarpc.service.codec.type.TypeShapes;
import io.rdmarpc.service.contract.RdmaInvalidServiceException;
import io.rdmarpc.service.contract.ServiceDescription;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Defines how the Kryos of one service are built, and the resulting contract. Class numbers: primitives and String
 * have Kryo's numbers, {@linkplain StandardTypes standard types} start at 10, and the service's classes and those of
 * customizers follow, see {@link TypeNumbers}.
 */
final class KryoBlueprint {

    /** Classes whose nested classes are serializers of standard types. */
    private static final Set<Class<?>> OWN =
            Set.of(BoundedSerializers.class, SortedSerializers.class, EnumContainers.class, SqlSerializers.class);

    private final ClassLoader classLoader;
    private final List<KryoCustomizer> customizers;
    private final SerializationSettings settings;
    private final RegionReferences references;
    private final RecordSerializers records;
    private final Collection<Class<?>> types;
    private final TypeNumbers numbers;

    KryoBlueprint(
            ServiceDescription service,
            ClassLoader classLoader,
            List<KryoCustomizer> customizers,
            SerializationSettings settings,
            RegionReferences references,
            boolean generated) {
        this.classLoader = classLoader;
        this.customizers = customizers;
        this.settings = settings;
        this.references = references;
        TypeNumbers onDemand = TypeNumbers.onDemand();
        ServiceKryo trial = new ServiceKryo(classLoader, settings, onDemand, references);
        // This Kryo only discovers members and writes none, so reflective serializers suffice.
        useSerializers(trial, new RecordSerializers(false));
        customizers.forEach(customizer -> customizer.customize(trial));
        requireSupported(trial);
        this.records = new RecordSerializers(generated && !trial.getReferences());
        Set<Class<?>> registered = typesOf(ofUsers(trial));
        this.types = ContractTypes.of(service, registered, transparent(ofUsers(trial)));
        this.numbers = numbersOf(onDemand.types(), trial);
    }

    private void requireSupported(ServiceKryo kryo) {
        if (settings.evolving() && kryo.getReferences()) {
            throw new RdmaInvalidServiceException(
                    "a KryoCustomizer bean enables references, but rdma.serialization.evolution is compatible:"
                            + " a skipped field could contain the target of another reference",
                    "Disable references, or set rdma.serialization.evolution=none");
        }
    }

    private TypeNumbers numbersOf(Set<Class<?>> registered, ServiceKryo trial) {
        Set<Class<?>> all = new HashSet<>(types);
        all.addAll(registered);
        if (settings.evolving()) {
            return TypeNumbers.fromNames(all);
        }
        Set<Integer> taken = new TreeSet<>();
        for (Registration registration : ofUsers(trial)) {
            if (!registered.contains(registration.getType())) {
                taken.add(registration.getId());
            }
        }
        return TypeNumbers.inOrderOfNames(all, taken);
    }

    private static List<Registration> ofUsers(ServiceKryo kryo) {
        return kryo.registrations().stream()
                .filter(registration -> StandardTypes.isOfService(registration.getId()))
                .toList();
    }

    private static Set<Class<?>> typesOf(List<Registration> registrations) {
        Set<Class<?>> result = new HashSet<>();
        registrations.forEach(registration -> result.add(registration.getType()));
        return result;
    }

    /** Returns the classes that are serialized by their fields or components, whose types must be serializable too. */
    private static List<Class<?>> transparent(List<Registration> registrations) {
        List<Class<?>> result = new ArrayList<>();
        for (Registration registration : registrations) {
            Serializer<?> serializer = registration.getSerializer();
            if (serializer instanceof MemberwiseSerializer || serializer instanceof FieldSerializer) {
                result.add(registration.getType());
            }
        }
        return result;
    }

    RecordSerializers records() {
        return records;
    }

    ServiceKryo newKryo() {
        ServiceKryo kryo = new ServiceKryo(classLoader, settings, numbers, references);
        useSerializers(kryo, records);
        types.forEach(kryo::register);
        customizers.forEach(customizer -> customizer.customize(kryo));
        requireAll(kryo);
        KryoContainers.requireBounded(kryo);
        kryo.complete();
        return kryo;
    }

    private void useSerializers(ServiceKryo kryo, RecordSerializers ofRecords) {
        if (settings.evolving()) {
            kryo.otherwise((_, type) -> {
                requireOwnFields(type);
                return new EvolvingSerializer(Members.of(type));
            });
            kryo.byDefault(Record.class, (_, type) -> new EvolvingSerializer(Members.of(type)));
            kryo.byDefault(Enum.class, (_, type) -> new EnumNameSerializer(type));
        } else {
            kryo.otherwise((_, type) -> ofFields(kryo, type));
            kryo.byDefault(Record.class, (_, type) -> ofRecords.of(type));
        }
    }

    private static Serializer<?> ofFields(ServiceKryo kryo, Class<?> type) {
        requireOwnFields(type);
        return FieldsSerializer.areAnnotatedForKryo(type)
                ? new FieldSerializer<>(kryo, type)
                : new FieldsSerializer(Members.of(type));
    }

    private static void requireOwnFields(Class<?> type) {
        List<Field> hidden = ContractTypes.hiddenFieldsOf(type);
        if (!hidden.isEmpty()) {
            throw new RdmaInvalidServiceException(
                    type.getName() + " extends "
                            + hidden.getFirst().getDeclaringClass().getName() + ", whose field "
                            + hidden.getFirst().getName() + " cannot be read and would be lost",
                    "Use a record of your own, or register the class with a serializer in a KryoCustomizer bean");
        }
    }

    /** Requires that all classes are still registered. A customizer can assign the number of another class. */
    private void requireAll(ServiceKryo kryo) {
        Set<Class<?>> left = typesOf(kryo.registrations());
        for (Class<?> type : types) {
            if (!left.contains(type)) {
                throw new RdmaInvalidServiceException(
                        "a KryoCustomizer registers a class with the number " + numbers.of(type)
                                + ", which is the number of " + type.getName(),
                        "Remove the number, or use the same one in each call of customize");
            }
        }
    }

    /** Returns what both sides must have in common, in order of the numbers. */
    List<ServiceContract.Type> describe(ServiceKryo kryo) {
        List<ServiceContract.Type> result = new ArrayList<>();
        result.add(new ServiceContract.Type(
                "(serializer)",
                "Kryo, form 4, references=" + kryo.getReferences() + (settings.evolving() ? ", evolving" : "")));
        kryo.registrations().stream()
                .filter(KryoBlueprint::isNotTheSameEverywhere)
                .map(registration ->
                        new ServiceContract.Type(registration.getType().getName(), shapeOf(registration)))
                .forEach(result::add);
        return result;
    }

    /**
     * Returns whether the contract must describe a class. Standard types are omitted unless a customizer changed
     * their serializer.
     */
    private static boolean isNotTheSameEverywhere(Registration registration) {
        return StandardTypes.isOfService(registration.getId()) || !isOwnOrKryos(registration.getSerializer());
    }

    /** Returns the shape of a class. The class of a custom serializer is part of the format, as fields are. */
    private String shapeOf(Registration registration) {
        Serializer<?> serializer = registration.getSerializer();
        return isOwnOrKryos(serializer)
                ? TypeShapes.of(registration.getType(), settings.evolving())
                : "written by " + serializer.getClass().getName();
    }

    private static boolean isOwnOrKryos(Serializer<?> serializer) {
        return serializer instanceof MemberwiseSerializer
                || serializer instanceof EnumNameSerializer
                || serializer instanceof ZonedDateTimeSerializer
                || isOwn(serializer.getClass().getEnclosingClass())
                || serializer.getClass().getPackageName().startsWith("com.esotericsoftware.kryo");
    }

    private static boolean isOwn(@Nullable Class<?> enclosing) {
        return enclosing != null && OWN.contains(enclosing);
    }
}
