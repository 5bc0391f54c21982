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

/** The serializers that Kryo uses for orders. */
enum OrderCodec {
    /** Serializers that the starter generates, available only with the starter. */
    GENERATED("generated") {
        @Override
        void customize(Kryo kryo) {
            // The starter registers its own serializers.
        }
    },
    /** Kryo's own reflective serializer for records. */
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
    /** Hand-written serializers. */
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

    /** Returns the name of the serializers for tables. */
    String text() {
        return text;
    }

    /** Registers the classes of the service's signatures with their serializers. */
    abstract void customize(Kryo kryo);

    /** Creates an instance for one thread as Kryo users do: registered classes, no references. */
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
