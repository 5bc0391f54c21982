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
 * Encodes a value of a known declared type: a parameter, a result, or a record component. Primitives have no type
 * information, final classes one byte for null, and all others the number of their class.
 */
public sealed interface ValueSlot {

    void write(ServiceKryo kryo, Output output, @Nullable Object value);

    @Nullable
    Object read(ServiceKryo kryo, Input input);

    /** Returns the slot of a value that is not a component, such as an argument. Its type may declare its elements. */
    static ValueSlot of(ServiceKryo kryo, ResolvableType type, RecordSerializers records) {
        CompiledRecordSerializer container = records.ofContainer(type);
        if (container == null) {
            return of(kryo, type.toClass(), type);
        }
        container.link(kryo);
        return new ContainerSlot(container);
    }

    /** Returns the slot of a member. All classes of the Kryo must be registered. */
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

    /** A value of the declared type or a subtype, or null. */
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

    /** A collection or a map, or null, with its declared elements. */
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

    /** A collection or a map, or null, with generated code for its declared type. */
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

    /** A primitive value. Integers near 0 take fewer bytes. */
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
                throw new IllegalArgumentException(type + " is not a primitive type of a value: void has none");
            }
            return slot;
        }

        abstract void writeValue(Output output, Object value);

        @Override
        public void write(ServiceKryo kryo, Output output, @Nullable Object value) {
            if (value == null) {
                throw new KryoException("the value of a primitive type is null");
            }
            writeValue(output, value);
        }
    }
}
