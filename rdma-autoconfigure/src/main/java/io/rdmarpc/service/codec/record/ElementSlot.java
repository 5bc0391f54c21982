package io.rdmarpc.service.codec.record;

import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.io.Output;
import io.rdmarpc.service.codec.kryo.value.BoundedSerializers.Elements;
import io.rdmarpc.service.codec.kryo.value.BoundedSerializers.Entries;
import io.rdmarpc.service.codec.kryo.value.InlineTypeCache;
import io.rdmarpc.service.codec.kryo.value.KryoOutput;
import io.rdmarpc.service.codec.kryo.value.ServiceKryo;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes a value in a container, or a container, by its declared type without generated code. The bytes are the same
 * as with generated code. Only writing needs the declared type, because it selects the class that represents the
 * container.
 *
 * @param cache cache of the types that were written and read here
 * @param inner slots of the elements of a collection, or of the keys and values of a map; otherwise empty
 */
record ElementSlot(InlineTypeCache cache, List<ElementSlot> inner) {

    static ElementSlot of(TypedSlot slot) {
        return new ElementSlot(
                new InlineTypeCache(slot.type()),
                slot.inner().stream().map(ElementSlot::of).toList());
    }

    void write(ServiceKryo kryo, Output output, @Nullable Object value) {
        if (value == null || inner.isEmpty() || !kryo.isPlain()) {
            kryo.writePolymorphic(output, value, cache);
            return;
        }
        Serializer<?> serializer = cache.begin(kryo, (KryoOutput) output, value);
        kryo.enter();
        if (inner.size() == 1 && serializer instanceof Elements elements) {
            writeElements(kryo, output, elements, (Collection<?>) value);
        } else if (inner.size() == 2 && serializer instanceof Entries entries) {
            writeEntries(kryo, output, entries, (Map<?, ?>) value);
        } else {
            writeAs(kryo, output, serializer, value);
        }
        kryo.leave();
    }

    @SuppressWarnings("unchecked") // The serializer was selected by the value's class.
    private static void writeAs(ServiceKryo kryo, Output output, Serializer<?> serializer, Object value) {
        ((Serializer<Object>) serializer).write(kryo, output, value);
    }

    private void writeElements(ServiceKryo kryo, Output output, Elements elements, Collection<?> collection) {
        elements.begin(output, collection);
        ElementSlot each = inner.getFirst();
        for (Object element : collection) {
            each.write(kryo, output, element);
        }
    }

    private void writeEntries(ServiceKryo kryo, Output output, Entries entries, Map<?, ?> map) {
        entries.begin(output, map);
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            inner.get(0).write(kryo, output, entry.getKey());
            inner.get(1).write(kryo, output, entry.getValue());
        }
    }
}
