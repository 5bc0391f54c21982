package io.rdmarpc.service.codec;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import io.rdmarpc.annotation.RdmaService;
import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.memory.OneBuffer;
import io.rdmarpc.service.Messages;
import io.rdmarpc.service.codec.json.JsonRdmaSerializer;
import io.rdmarpc.service.codec.kryo.KryoCustomizer;
import io.rdmarpc.service.codec.kryo.KryoFormats;
import io.rdmarpc.service.codec.kryo.KryoRdmaSerializer;
import io.rdmarpc.service.contract.ServiceDescription;
import java.lang.management.ManagementFactory;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.json.JsonMapper;

/**
 * Measures the time to write and read an order of six components with three lines. Run with
 * {@code -Dtest=OrderBenchmark -Drdma.benchmark=true}. It prints the best of several rounds.
 */
@EnabledIfSystemProperty(named = "rdma.benchmark", matches = "true")
class OrderBenchmark {

    enum Priority {
        STANDARD,
        EXPRESS
    }

    record LineItem(String article, int quantity, BigDecimal price) {}

    record Order(String id, String customer, Priority priority, Instant placedAt, long account, List<LineItem> items) {}

    @RdmaService
    interface Orders {
        Order place(Order order);
    }

    enum Way {
        BY_HAND {
            @Override
            RdmaSerializer serializer() {
                return kryo(true, kryo -> kryo.register(Order.class, new ByHand()));
            }
        },
        GENERATED {
            @Override
            RdmaSerializer serializer() {
                return kryo(true);
            }
        },
        METHOD_HANDLES {
            @Override
            RdmaSerializer serializer() {
                return kryo(false);
            }
        },
        KRYOS_OWN {
            @Override
            RdmaSerializer serializer() {
                return kryo(false, kryo -> {
                    kryo.register(Priority.class);
                    kryo.register(LineItem.class, ofKryo(LineItem.class));
                    kryo.register(Order.class, ofKryo(Order.class));
                });
            }
        },
        EVOLVING {
            @Override
            RdmaSerializer serializer() {
                return new KryoRdmaSerializer(
                        Orders.class.getClassLoader(),
                        List.of(),
                        SerializationSettings.DEFAULTS.withEvolution(Evolution.COMPATIBLE));
            }
        },
        JSON {
            @Override
            RdmaSerializer serializer() {
                return new JsonRdmaSerializer(JsonMapper.builder().build(), SerializationSettings.DEFAULTS);
            }
        };

        abstract RdmaSerializer serializer();

        private static RdmaSerializer kryo(boolean generated, KryoCustomizer... customizers) {
            return KryoFormats.kryo(
                    Orders.class.getClassLoader(), List.of(customizers), SerializationSettings.DEFAULTS, generated);
        }

        private static <T extends Record> Serializer<T> ofKryo(Class<T> type) {
            return new com.esotericsoftware.kryo.serializers.RecordSerializer<>(type);
        }
    }

    @SuppressWarnings({"EnumOrdinal", "JavaInstantGetSecondsGetNano"})
    private static final class ByHand extends Serializer<Order> {

        private static final Priority[] PRIORITIES = Priority.values();

        @Override
        public void write(Kryo kryo, Output output, Order order) {
            output.writeString(order.id());
            output.writeString(order.customer());
            output.writeVarInt(order.priority().ordinal(), true);
            output.writeVarLong(order.placedAt().getEpochSecond(), true);
            output.writeVarInt(order.placedAt().getNano(), true);
            output.writeVarLong(order.account(), false);
            output.writeVarInt(order.items().size(), true);
            for (LineItem item : order.items()) {
                output.writeString(item.article());
                output.writeVarInt(item.quantity(), false);
                output.writeVarLong(item.price().unscaledValue().longValue(), false);
                output.writeVarInt(item.price().scale(), false);
            }
        }

        @Override
        public Order read(Kryo kryo, Input input, Class<? extends Order> type) {
            String id = input.readString();
            String customer = input.readString();
            Priority priority = PRIORITIES[input.readVarInt(true)];
            Instant placedAt = Instant.ofEpochSecond(input.readVarLong(true), input.readVarInt(true));
            long account = input.readVarLong(false);
            int count = input.readVarInt(true);
            List<LineItem> items = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
                items.add(new LineItem(
                        input.readString(),
                        input.readVarInt(false),
                        BigDecimal.valueOf(input.readVarLong(false), input.readVarInt(false))));
            }
            return new Order(id, customer, priority, placedAt, account, items);
        }
    }

    private static final Order ORDER = new Order(
            "order-4711",
            "Ada Lovelace",
            Priority.EXPRESS,
            Instant.parse("2026-11-21T10:15:30.123456789Z"),
            123456789L,
            List.of(
                    new LineItem("article 1", 3, new BigDecimal("12.50")),
                    new LineItem("article 22", 1, new BigDecimal("99.95")),
                    new LineItem("article 333", 12, new BigDecimal("0.99"))));

    private static final int CALLS = 200_000;
    private static final int ROUNDS = 6;

    private final Object[] arguments = {ORDER};

    @ParameterizedTest
    @EnumSource
    void measure(Way way) {
        ServiceDescription service = ServiceDescription.of(Orders.class);
        long creation = System.nanoTime();
        MethodCodec codec = new ServiceCodecFactory(way.serializer(), Integer.MAX_VALUE)
                .codecOf(service)
                .method(service.methods().getFirst());
        creation = System.nanoTime() - creation;
        long write = Long.MAX_VALUE;
        long read = Long.MAX_VALUE;
        byte[] bytes = Messages.send(codec.encodeArguments(new OneBuffer(), arguments));
        Messages.Received message = Messages.received(bytes);
        long allocated = 0;
        for (int round = 0; round < ROUNDS; round++) {
            long before = allocated();
            long start = System.nanoTime();
            write(codec);
            long middle = System.nanoTime();
            allocated = (allocated() - before) / CALLS;
            read(codec, message);
            long end = System.nanoTime();
            write = Math.min(write, (middle - start) / CALLS);
            read = Math.min(read, (end - middle) / CALLS);
        }
        System.out.printf(
                "%-15s write %5d ns (%d bytes allocated)   read %5d ns   %d bytes, created in %d ms%n",
                way, write, allocated, read, bytes.length, creation / 1_000_000);
    }

    private void write(MethodCodec codec) {
        OneBuffer memory = new OneBuffer();
        for (int i = 0; i < CALLS; i++) {
            MessageBuffer message = codec.encodeArguments(memory, arguments);
            message.close();
        }
    }

    private static void read(MethodCodec codec, Messages.Received message) {
        for (int i = 0; i < CALLS; i++) {
            Objects.requireNonNull(codec.decodeArguments(message)[0]);
        }
    }

    private static long allocated() {
        return ((com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
    }
}
