package io.rdmarpc.service.codec;

import static org.assertj.core.api.Assertions.assertThat;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import io.rdmarpc.annotation.RdmaService;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The graph context of a custom serializer is cleared after each message. */
class GraphContextTest {

    record Name(String text) {}

    @RdmaService
    interface Names {
        List<Name> all(List<Name> names);
    }

    /** Numbers the names of a message. */
    static final class Numbered extends Serializer<Name> {

        @Override
        @SuppressWarnings("unchecked")
        public void write(Kryo kryo, Output output, Name name) {
            int before = (Integer) kryo.getGraphContext().get("count", 0);
            kryo.getGraphContext().put("count", before + 1);
            output.writeVarInt(before, true);
            output.writeString(name.text());
        }

        @Override
        public Name read(Kryo kryo, Input input, Class<? extends Name> type) {
            return new Name(input.readVarInt(true) + input.readString());
        }
    }

    @Test
    void shouldHaveAContextForEachMessage() {
        CodecFixture codec = new CodecFixture(Names.class, kryo -> kryo.register(Name.class, new Numbered()));
        for (int i = 0; i < 3; i++) {
            assertThat(codec.copyResult("all", List.of(new Name("a"), new Name("b"))))
                    .isEqualTo(List.of(new Name("0a"), new Name("1b")));
        }
    }
}
