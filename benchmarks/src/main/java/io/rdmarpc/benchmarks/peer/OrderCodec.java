package io.rdmarpc.benchmarks.peer;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.serializers.RecordSerializer;
import io.rdmarpc.benchmarks.order.LineItem;
import io.rdmarpc.benchmarks.order.Order;
import io.rdmarpc.benchmarks.order.OrderRequest;
import io.rdmarpc.benchmarks.order.Priority;
import java.time.Instant;
import java.util.ArrayList;

/** Which serializers Kryo has for orders. */
enum OrderCodec {
    /** What the starter generates; only there. */
    GENERATED("generated") {
        @Override
        void customize(Kryo kryo) {
            // Nothing: the starter does it.
        }
    },
    /** Kryo's own for records, by reflection. */
    STOCK("stock") {
        @Override
        void customize(Kryo kryo) {
            kryo.register(Priority.class);
            kryo.register(LineItem.class, stock(LineItem.class));
            kryo.register(OrderRequest.class, stock(OrderRequest.class));
            kryo.register(Order.class, stock(Order.class));
        }

        private static <T extends Record> Serializer<T> stock(Class<T> type) {
            return new RecordSerializer<>(type);
        }
    },
    /** Written by hand. */
    BY_HAND("hand-written") {
        @Override
        void customize(Kryo kryo) {
            kryo.register(OrderRequest.class, new HandWrittenSerializers.OfRequests());
            kryo.register(Order.class, new HandWrittenSerializers.OfOrders());
        }
    };

    private final String text;

    OrderCodec(String text) {
        this.text = text;
    }

    /** Tells what the serializers are, for tables. */
    String text() {
        return text;
    }

    /** Registers what the signatures' classes are written with. */
    abstract void customize(Kryo kryo);

    /** As Kryo's users set it up: classes registered, no references, one instance for a thread. */
    Kryo newKryo() {
        Kryo kryo = new Kryo();
        kryo.setRegistrationRequired(true);
        kryo.setReferences(false);
        kryo.register(ArrayList.class);
        kryo.register(Instant.class);
        kryo.register(byte[].class);
        customize(kryo);
        return kryo;
    }
}
