package io.rdmarpc.service.codec;

import com.esotericsoftware.kryo.Kryo;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.service.ServiceDescription;
import io.rdmarpc.service.ServiceMethod;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.springframework.core.ResolvableType;

/** Serialization of one service: its contract, and a codec for each of its methods. Any thread. */
public final class ServiceCodec {

    /** Idle coders kept for bursts; one is some tens of KiB. */
    private static final int POOLED = 64;

    private final ServiceContract contract;
    private final Map<Integer, MethodCodec> methods = new HashMap<>();

    ServiceCodec(ServiceDescription service, KryoBlueprint blueprint) {
        KryoPool pool = new KryoPool(POOLED, () -> new KryoCoder(blueprint.newKryo()));
        ServiceKryo first = blueprint.newKryo();
        this.contract = KryoBlueprint.contractOf(service, first);
        service.methods().forEach(method -> methods.put(method.id(), codecOf(method, first, pool)));
        pool.release(new KryoCoder(first));
    }

    private static MethodCodec codecOf(ServiceMethod method, Kryo kryo, KryoPool pool) {
        List<ValueSlot> arguments =
                method.parameters().stream().map(type -> slotOf(kryo, type)).toList();
        List<ValueSlot> result = method.returnsValue() ? List.of(slotOf(kryo, method.result())) : List.of();
        return new MethodCodec(
                new ValuesCodec("the arguments of " + method, pool, arguments),
                new ValuesCodec("the result of " + method, pool, result),
                method.returnsValue());
    }

    private static ValueSlot slotOf(Kryo kryo, ResolvableType type) {
        return ValueSlot.of(kryo, type.toClass());
    }

    /**
     * Returns what peers must agree on.
     *
     * @return methods and types in words
     */
    public ServiceContract contract() {
        return contract;
    }

    /**
     * Returns the codec of a method.
     *
     * @param method one of this service
     * @return its codec
     */
    public MethodCodec method(ServiceMethod method) {
        MethodCodec codec = methods.get(method.id());
        if (codec == null) {
            throw new IllegalArgumentException(method + " is not a method of " + contract.name());
        }
        return codec;
    }
}
