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
 * How every Kryo of one service is built, and the contract that follows. Numbers of classes: primitives and String as Kryo
 * has them, {@linkplain StandardTypes standard types} from 10, then the service's own and what customizers register, see
 * {@link TypeNumbers}.
 */
final class KryoBlueprint {

    /** They have serializers of standard types inside. */
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
        TypeNumbers asTheyCome = TypeNumbers.asTheyCome();
        ServiceKryo trial = new ServiceKryo(classLoader, settings, asTheyCome, references);
        // Members are looked at here, not written: what reads them by reflection will do.
        useSerializers(trial, new RecordSerializers(false));
        customizers.forEach(customizer -> customizer.customize(trial));
        requireSupported(trial);
        this.records = new RecordSerializers(generated && !trial.getReferences());
        Set<Class<?>> registered = typesOf(ofUsers(trial));
        this.types = ContractTypes.of(service, registered, transparent(ofUsers(trial)));
        this.numbers = numbersOf(asTheyCome.types(), trial);
    }

    private void requireSupported(ServiceKryo kryo) {
        if (settings.evolving() && kryo.getReferences()) {
            throw new RdmaInvalidServiceException(
                    "a KryoCustomizer bean turns references on, and rdma.serialization.evolution is compatible: a field"
                            + " that is skipped could hold what another one refers to",
                    "Use one of the two");
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

    /** What is written by its fields or components, so that their types travel too. */
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

    /** A customizer can give a class a number that another class has. */
    private void requireAll(ServiceKryo kryo) {
        Set<Class<?>> left = typesOf(kryo.registrations());
        for (Class<?> type : types) {
            if (!left.contains(type)) {
                throw new RdmaInvalidServiceException(
                        "a KryoCustomizer registers a class by the number " + numbers.of(type) + ", which "
                                + type.getName() + " has",
                        "Leave the number out, or use the same one each time customize is called");
            }
        }
    }

    /** What peers must have alike, in the order of the numbers. */
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

    /** Standard types are, unless a customizer has given one another serializer. */
    private static boolean isNotTheSameEverywhere(Registration registration) {
        return StandardTypes.isOfService(registration.getId()) || !isOwnOrKryos(registration.getSerializer());
    }

    /** A serializer of the user's own is as much part of the format as the fields are. */
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
