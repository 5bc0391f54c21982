package io.rdmarpc.service.codec.kryo.value;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import io.rdmarpc.service.codec.kryo.value.BoundedSerializers.Elements;
import io.rdmarpc.service.codec.kryo.value.BoundedSerializers.Entries;
import io.rdmarpc.service.codec.type.SortOrder;
import java.util.Collection;
import java.util.Comparator;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Serializes sorted containers with a comparator that both sides know: the number of the {@link SortOrder} and the
 * elements. Each has its own class number, so that containers in natural order keep the encoding of other containers.
 */
@SuppressWarnings("rawtypes")
public final class SortedSerializers {

    private SortedSerializers() {}

    static final class OrderedElements extends Serializer<Collection> {

        private final Function<@Nullable Comparator<Object>, Collection<Object>> factory;

        OrderedElements(Function<@Nullable Comparator<Object>, Collection<Object>> factory) {
            this.factory = factory;
        }

        private Elements inOrder(SortOrder order) {
            return new Elements(size -> factory.apply(order.comparator()));
        }

        @Override
        public void write(Kryo kryo, Output output, Collection collection) {
            SortOrder order = SortOrder.of(collection);
            output.writeByte(order.number());
            inOrder(order).write(kryo, output, collection);
        }

        @Override
        public Collection read(Kryo kryo, Input input, Class<? extends Collection> type) {
            return inOrder(SortOrder.ofNumber(input.readByte())).read(kryo, input, type);
        }
    }

    static final class OrderedEntries extends Serializer<Map> {

        private final Function<@Nullable Comparator<Object>, Map<Object, Object>> factory;

        OrderedEntries(Function<@Nullable Comparator<Object>, Map<Object, Object>> factory) {
            this.factory = factory;
        }

        private Entries inOrder(SortOrder order) {
            return new Entries(size -> factory.apply(order.comparator()));
        }

        @Override
        public void write(Kryo kryo, Output output, Map map) {
            SortOrder order = SortOrder.of(map);
            output.writeByte(order.number());
            inOrder(order).write(kryo, output, map);
        }

        @Override
        public Map read(Kryo kryo, Input input, Class<? extends Map> type) {
            return inOrder(SortOrder.ofNumber(input.readByte())).read(kryo, input, type);
        }
    }
}
