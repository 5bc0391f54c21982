package io.rdmarpc.service.codec;

import com.esotericsoftware.kryo.Registration;
import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.serializers.FieldSerializer;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.service.ServiceDescription;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * How every Kryo of one service is built, and the contract that follows. Numbers of classes: primitives and String
 * as Kryo has them, {@linkplain StandardTypes standard types} from 10, the service's own in the order of their names from
 * 64, then what customizers register.
 */
final class KryoBlueprint {

    private final ClassLoader classLoader;
    private final List<KryoCustomizer> customizers;
    private final Collection<Class<?>> types;

    KryoBlueprint(ServiceDescription service, ClassLoader classLoader, List<KryoCustomizer> customizers) {
        this.classLoader = classLoader;
        this.customizers = customizers;
        this.types = typesOf(service);
    }

    ServiceKryo newKryo() {
        return newKryo(types);
    }

    private ServiceKryo newKryo(Collection<Class<?>> serviceTypes) {
        ServiceKryo kryo = new ServiceKryo(classLoader);
        kryo.registerServiceTypes(serviceTypes);
        customizers.forEach(customizer -> customizer.customize(kryo));
        kryo.useCarriers();
        return kryo;
    }

    private Collection<Class<?>> typesOf(ServiceDescription service) {
        List<Registration> byCustomizers = customizers.isEmpty()
                ? List.of()
                : newKryo(List.of()).registrationsFrom(StandardTypes.FIRST_SERVICE_ID);
        Set<Class<?>> registered = new HashSet<>();
        List<Class<?>> transparent = new ArrayList<>();
        for (Registration registration : byCustomizers) {
            registered.add(registration.getType());
            if (isTransparent(registration.getSerializer())) {
                transparent.add(registration.getType());
            }
        }
        return ContractTypes.of(service, registered, transparent);
    }

    private static boolean isTransparent(Serializer<?> serializer) {
        return serializer instanceof RecordSerializer || serializer instanceof FieldSerializer;
    }

    /** What peers must agree on; the order of the types is that of their numbers. */
    static ServiceContract contractOf(ServiceDescription service, ServiceKryo kryo) {
        List<ServiceContract.Type> contractTypes = new ArrayList<>();
        contractTypes.add(new ServiceContract.Type("(serializer)", "Kryo, references=" + kryo.getReferences()));
        kryo.registrationsFrom(0).stream()
                .filter(KryoBlueprint::isNotTheSameEverywhere)
                .map(registration ->
                        new ServiceContract.Type(registration.getType().getName(), shapeOf(registration)))
                .forEach(contractTypes::add);
        List<ServiceContract.Method> methods = service.methods().stream()
                .map(method -> new ServiceContract.Method(method.id(), method.signature()))
                .toList();
        return new ServiceContract(service.name(), methods, contractTypes);
    }

    /** Standard types are, unless a customizer has given one another serializer. */
    private static boolean isNotTheSameEverywhere(Registration registration) {
        return registration.getId() >= StandardTypes.FIRST_SERVICE_ID || !isOwnOrKryos(registration.getSerializer());
    }

    /** A serializer of the user's own is as much part of the format as the fields are. */
    private static String shapeOf(Registration registration) {
        Serializer<?> serializer = registration.getSerializer();
        return isOwnOrKryos(serializer)
                ? TypeShapes.of(registration.getType())
                : "written by " + serializer.getClass().getName();
    }

    private static boolean isOwnOrKryos(Serializer<?> serializer) {
        return serializer instanceof RecordSerializer
                || serializer.getClass().getEnclosingClass() == BoundedSerializers.class
                || serializer.getClass().getPackageName().startsWith("com.esotericsoftware.kryo");
    }
}
