package io.rdmarpc.service.codec.kryo;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Serializes an enum constant as its name, so that constants can be added, removed and reordered. */
final class EnumNameSerializer extends Serializer<Enum<?>> {

    private final Class<?> type;
    private final Map<String, Enum<?>> constants = new HashMap<>();

    EnumNameSerializer(Class<?> type) {
        super(true, true);
        this.type = type;
        for (Object constant : type.getEnumConstants()) {
            Enum<?> each = (Enum<?>) constant;
            constants.put(each.name(), each);
        }
    }

    @Override
    public void write(Kryo kryo, Output output, @Nullable Enum<?> value) {
        output.writeString(value == null ? null : value.name());
    }

    @Override
    public @Nullable Enum<?> read(Kryo kryo, Input input, Class<? extends Enum<?>> asked) {
        String name = input.readString();
        Enum<?> constant = constants.get(name);
        if (constant == null && name != null) {
            throw new KryoException(type.getName() + " has no constant " + name + " in this process:"
                    + " update this process, or do not send the constant");
        }
        return constant;
    }
}
