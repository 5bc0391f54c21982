package io.rdmarpc.service.codec.record;

import io.rdmarpc.service.codec.type.Members;
import java.util.HashMap;
import java.util.Map;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;

/**
 * Creates the record serializers of all Kryos of one service. The class for a record is generated once, for the first
 * Kryo. Thread-safe.
 */
public final class RecordSerializers {

    private static final Log LOG = LogFactory.getLog(RecordSerializers.class);

    private record Plan(Members members, @Nullable Class<? extends RecordSerializer> generated) {}

    private final Map<Class<?>, Plan> plans = new HashMap<>();
    private final Map<ResolvableType, Plan> containers = new HashMap<>();
    private final boolean generate;

    public RecordSerializers(boolean generate) {
        this.generate = generate;
    }

    /** Returns false in a native image, which cannot define classes. */
    public static boolean canGenerate() {
        return System.getProperty("org.graalvm.nativeimage.imagecode") == null;
    }

    public RecordSerializer of(Class<?> type) {
        Plan plan = plan(type);
        Class<? extends RecordSerializer> generated = plan.generated();
        if (generated == null) {
            return new ReflectiveRecordSerializer(plan.members());
        }
        return made(generated, plan.members());
    }

    private static RecordSerializer made(Class<? extends RecordSerializer> generated, Members members) {
        try {
            return generated.getDeclaredConstructor(Members.class).newInstance(members);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(
                    "the generated serializer of " + members.type().getName() + " could not be instantiated", e);
        }
    }

    /**
     * Returns the serializer of a container that is not a component, such as an argument; null if its elements are
     * not declared.
     */
    @Nullable
    CompiledRecordSerializer ofContainer(ResolvableType declared) {
        if (!generate || !TypedSlot.isContainer(declared)) {
            return null;
        }
        Plan plan = containerPlan(declared);
        return plan.generated() == null ? null : (CompiledRecordSerializer) made(plan.generated(), plan.members());
    }

    private synchronized Plan containerPlan(ResolvableType declared) {
        return containers.computeIfAbsent(declared, each -> {
            Members members = Members.ofValue(each);
            return new Plan(members, generated(members));
        });
    }

    private synchronized Plan plan(Class<?> type) {
        return plans.computeIfAbsent(type, each -> {
            Members members = Members.of(each);
            return new Plan(members, generate ? generated(members) : null);
        });
    }

    private static @Nullable Class<? extends RecordSerializer> generated(Members members) {
        try {
            return RecordCompiler.compile(members);
        } catch (IllegalAccessException | RuntimeException | LinkageError e) {
            LOG.warn("no serializer could be generated for " + members.type().getName()
                    + "; reflection is used, which is slower: " + e);
            return null;
        }
    }
}
