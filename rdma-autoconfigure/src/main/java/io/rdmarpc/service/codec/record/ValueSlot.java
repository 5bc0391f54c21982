package io.rdmarpc.service.codec.record;

import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import io.rdmarpc.service.codec.kryo.value.InlineTypeCache;
import io.rdmarpc.service.codec.kryo.value.ServiceKryo;
import io.rdmarpc.service.codec.type.Members;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;

/**
 * How a value is written where its declared type is known: a parameter, a result, a record component. Primitives need no
 * word about their type, final classes one byte for null, all others the number of their class.
 */
public sealed interface ValueSlot {

    void write(ServiceKryo kryo, Output output, @Nullable Object value);

    @Nullable
    Object read(ServiceKryo kryo, Input input);

    /** The same for what stands alone, such as an argument, whose type may say what is in it. */
    static ValueSlot of(ServiceKryo kryo, ResolvableType type, RecordSerializers records) {
        CompiledRecordSerializer container = records.ofContainer(type);
        if (container == null) {
            return of(kryo, type.toClass(), type);
        }
        container.link(kryo);
        return new ContainerSlot(container);
    }

    /** For a Kryo whose classes are all registered. */
    static ValueSlot of(ServiceKryo kryo, Members members, int member) {
        return of(kryo, members.type(member), members.declared(member));
    }

    private static ValueSlot of(ServiceKryo kryo, Class<?> type, ResolvableType declared) {
        return switch (SlotKind.of(type)) {
            case PRIMITIVE -> PrimitiveSlot.of(type);
            case TEXT, FINAL -> new FinalSlot(type, kryo.getSerializer(type));
            case POLYMORPHIC -> {
                List<ElementSlot> inner = TypedSlot.innerOf(declared, type).stream()
                        .map(ElementSlot::of)
                        .toList();
                yield inner.isEmpty()
                        ? new PolymorphicSlot(type, new InlineTypeCache(type))
                        : new ElementsSlot(type, new ElementSlot(new InlineTypeCache(type), inner));
            }
        };
    }

    /** A value of exactly the declared class, or null. */
    record FinalSlot(Class<?> type, Serializer<?> serializer) implements ValueSlot {

        @Override
        public void write(ServiceKryo kryo, Output output, @Nullable Object value) {
            kryo.writeObjectOrNull(output, value, serializer);
        }

        @Override
        public @Nullable Object read(ServiceKryo kryo, Input input) {
            return kryo.readObjectOrNull(input, type, serializer);
        }
    }

    /** A value of the declared type or one below it, or null. */
    record PolymorphicSlot(Class<?> type, InlineTypeCache cache) implements ValueSlot {

        @Override
        public void write(ServiceKryo kryo, Output output, @Nullable Object value) {
            kryo.writePolymorphic(output, value, cache);
        }

        @Override
        public @Nullable Object read(ServiceKryo kryo, Input input) {
            return cache.checked(kryo.readPolymorphic(input, cache), type);
        }
    }

    /** A collection or a map, or null, with what is declared about its elements. */
    record ElementsSlot(Class<?> type, ElementSlot container) implements ValueSlot {

        @Override
        public void write(ServiceKryo kryo, Output output, @Nullable Object value) {
            container.write(kryo, output, value);
        }

        @Override
        public @Nullable Object read(ServiceKryo kryo, Input input) {
            return container.cache().checked(kryo.readPolymorphic(input, container.cache()), type);
        }
    }

    /** A collection or a map, or null, by code for its declared type. */
    record ContainerSlot(CompiledRecordSerializer compiled) implements ValueSlot {

        @Override
        public void write(ServiceKryo kryo, Output output, @Nullable Object value) {
            compiled.writeAlone(kryo, output, value);
        }

        @Override
        public @Nullable Object read(ServiceKryo kryo, Input input) {
            return compiled.readAlone(kryo, input);
        }
    }

    /** A primitive value; whole numbers take fewer bytes when they are near 0. */
    enum PrimitiveSlot implements ValueSlot {
        BOOLEAN {
            @Override
            void writeValue(Output output, Object value) {
                output.writeBoolean((Boolean) value);
            }

            @Override
            public Object read(ServiceKryo kryo, Input input) {
                return input.readBoolean();
            }
        },
        BYTE {
            @Override
            void writeValue(Output output, Object value) {
                output.writeByte((Byte) value);
            }

            @Override
            public Object read(ServiceKryo kryo, Input input) {
                return input.readByte();
            }
        },
        SHORT {
            @Override
            void writeValue(Output output, Object value) {
                output.writeShort((Short) value);
            }

            @Override
            public Object read(ServiceKryo kryo, Input input) {
                return input.readShort();
            }
        },
        CHAR {
            @Override
            void writeValue(Output output, Object value) {
                output.writeChar((Character) value);
            }

            @Override
            public Object read(ServiceKryo kryo, Input input) {
                return input.readChar();
            }
        },
        INT {
            @Override
            void writeValue(Output output, Object value) {
                output.writeVarInt((Integer) value, false);
            }

            @Override
            public Object read(ServiceKryo kryo, Input input) {
                return input.readVarInt(false);
            }
        },
        LONG {
            @Override
            void writeValue(Output output, Object value) {
                output.writeVarLong((Long) value, false);
            }

            @Override
            public Object read(ServiceKryo kryo, Input input) {
                return input.readVarLong(false);
            }
        },
        FLOAT {
            @Override
            void writeValue(Output output, Object value) {
                output.writeFloat((Float) value);
            }

            @Override
            public Object read(ServiceKryo kryo, Input input) {
                return input.readFloat();
            }
        },
        DOUBLE {
            @Override
            void writeValue(Output output, Object value) {
                output.writeDouble((Double) value);
            }

            @Override
            public Object read(ServiceKryo kryo, Input input) {
                return input.readDouble();
            }
        };

        private static final Map<Class<?>, PrimitiveSlot> BY_TYPE = Map.of(
                boolean.class, BOOLEAN,
                byte.class, BYTE,
                short.class, SHORT,
                char.class, CHAR,
                int.class, INT,
                long.class, LONG,
                float.class, FLOAT,
                double.class, DOUBLE);

        static PrimitiveSlot of(Class<?> type) {
            PrimitiveSlot slot = BY_TYPE.get(type);
            if (slot == null) {
                throw new IllegalArgumentException(type + " is not a primitive type with values");
            }
            return slot;
        }

        abstract void writeValue(Output output, Object value);

        @Override
        public void write(ServiceKryo kryo, Output output, @Nullable Object value) {
            if (value == null) {
                throw new KryoException("null where a primitive value belongs");
            }
            writeValue(output, value);
        }
    }
}
