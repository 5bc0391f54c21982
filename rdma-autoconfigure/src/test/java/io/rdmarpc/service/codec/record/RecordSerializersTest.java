package io.rdmarpc.service.codec.record;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.service.codec.Catalog;
import java.math.BigDecimal;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Records have a generated serializer, or a reflective one. */
class RecordSerializersTest {

    record Empty() {}

    record Primitives(boolean a, byte b, short c, char d, int e, long f, float g, double h) {}

    @SuppressWarnings("ArrayRecordComponent")
    record Mixed(long a, String b, double c, List<String> d, int e, BigDecimal f, Object g, long[] h, long i) {}

    @ParameterizedTest
    @ValueSource(classes = {Empty.class, Primitives.class, Mixed.class, Catalog.Page.class, Catalog.Note.class})
    void shouldGenerateAClassForEachKindOfRecord(Class<?> type) {
        RecordSerializers serializers = new RecordSerializers(true);
        RecordSerializer one = serializers.of(type);
        assertThat(one.getClass().isHidden()).isTrue();
        assertThat(serializers.of(type)).hasSameClassAs(one).isNotSameAs(one);
    }

    @Test
    void whenClassesCannotBeGeneratedThenMethodHandlesAreUsed() {
        assertThat(new RecordSerializers(false).of(Mixed.class)).isInstanceOf(ReflectiveRecordSerializer.class);
    }
}
