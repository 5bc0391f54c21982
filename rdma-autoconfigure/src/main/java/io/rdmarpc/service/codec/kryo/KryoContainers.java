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
 * Rejects Kryo's own serializers of containers. They allocate the size that a message claims before they read an
 * element: six bytes can claim 16 GiB. A field annotation or a customizer can select them. The default serializers
 * are those of {@code BoundedSerializers}.
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

    /** Those serializers whose containers grow with the elements that are read. */
    private static final List<Class<?>> GROWING =
            List.of(TreeMapSerializer.class, TreeSetSerializer.class, ConcurrentSkipListMapSerializer.class);

    private KryoContainers() {}

    /**
     * Checks all serializers of a Kryo.
     *
     * @throws RdmaInvalidServiceException if a serializer trusts the length in a message
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
                    what + " uses Kryo's " + serializer.getClass().getSimpleName()
                            + ", which allocates memory for the number of elements that a message claims",
                    "Remove the serializer or the annotation: the default serializers check claimed lengths. Or use a"
                            + " subclass whose create method checks them");
        }
    }
}
