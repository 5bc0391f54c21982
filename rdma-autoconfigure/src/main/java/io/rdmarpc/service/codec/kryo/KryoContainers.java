package io.rdmarpc.service.codec.kryo;

import com.esotericsoftware.kryo.Registration;
import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.serializers.CollectionSerializer;
import com.esotericsoftware.kryo.serializers.DefaultArraySerializers.BooleanArraySerializer;
import com.esotericsoftware.kryo.serializers.DefaultArraySerializers.ObjectArraySerializer;
import com.esotericsoftware.kryo.serializers.DefaultArraySerializers.StringArraySerializer;
import com.esotericsoftware.kryo.serializers.DefaultSerializers.ConcurrentSkipListMapSerializer;
import com.esotericsoftware.kryo.serializers.DefaultSerializers.TreeMapSerializer;
import com.esotericsoftware.kryo.serializers.DefaultSerializers.TreeSetSerializer;
import com.esotericsoftware.kryo.serializers.FieldSerializer;
import com.esotericsoftware.kryo.serializers.FieldSerializer.CachedField;
import com.esotericsoftware.kryo.serializers.ImmutableCollectionsSerializers.JdkImmutableListSerializer;
import com.esotericsoftware.kryo.serializers.MapSerializer;
import io.rdmarpc.service.codec.kryo.value.ServiceKryo;
import io.rdmarpc.service.contract.RdmaInvalidServiceException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Keeps out Kryo's own serializers of containers, which allocate as much as a message claims before they have read an element: six bytes
 * ask for 16 GiB. An annotation of a field, or a customizer, can ask for them. Those of {@code BoundedSerializers} take their place
 * where neither does.
 */
final class KryoContainers {

    private static final String KRYO = "com.esotericsoftware.kryo.";

    private static final List<Class<?>> TRUSTING = List.of(
            CollectionSerializer.class,
            MapSerializer.class,
            ObjectArraySerializer.class,
            StringArraySerializer.class,
            BooleanArraySerializer.class,
            JdkImmutableListSerializer.class);

    /** Those of them whose containers grow by the elements that are read. */
    private static final List<Class<?>> GROWING =
            List.of(TreeMapSerializer.class, TreeSetSerializer.class, ConcurrentSkipListMapSerializer.class);

    private KryoContainers() {}

    /**
     * Checks all serializers of a Kryo.
     *
     * @throws RdmaInvalidServiceException when one of them trusts the length in a message
     */
    static void requireBounded(ServiceKryo kryo) {
        for (Registration registration : kryo.registrations()) {
            Serializer<?> serializer = registration.getSerializer();
            require(serializer, registration.getType().getName());
            if (serializer instanceof FieldSerializer<?> fields) {
                for (CachedField field : fields.getFields()) {
                    require(field.getSerializer(), field.getField().toString());
                }
            }
        }
    }

    private static void require(@Nullable Serializer<?> serializer, String what) {
        if (serializer != null
                && serializer.getClass().getName().startsWith(KRYO)
                && TRUSTING.stream().anyMatch(each -> each.isInstance(serializer))
                && !GROWING.contains(serializer.getClass())) {
            throw new RdmaInvalidServiceException(
                    what + " is read by Kryo's " + serializer.getClass().getSimpleName()
                            + ", which allocates memory for as many elements as a message claims",
                    "Leave the serializer or the annotation out: containers have serializers that check what a message"
                            + " claims. Or use a subclass whose create method does so");
        }
    }
}
