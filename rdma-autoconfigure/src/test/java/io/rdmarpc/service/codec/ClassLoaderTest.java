package io.rdmarpc.service.codec;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** An application whose classes are loaded again, as devtools does. */
class ClassLoaderTest {

    private static final String APPLICATION = """
            @RdmaService interface Quotes { Quote quote(List<Quote> quotes); }
            record Quote(String text, int number, Quote next) {}
            """;

    private static ClassLoader use() {
        ClassLoader loader = Sources.compile(APPLICATION);
        CodecFixture codec = CodecFixture.kryo(Sources.load(loader, "Quotes"), SerializationSettings.DEFAULTS);
        Object quote = Sources.make(loader, "Quote", "a", 1, Sources.make(loader, "Quote", "b", 2, null));
        assertThat(codec.copyArguments("quote", List.of(quote))).containsExactly(List.of(quote));
        assertThat(codec.copyResult("quote", quote)).isEqualTo(quote).hasSameClassAs(quote);
        return loader;
    }

    @Test
    void shouldUseTheClassesOfEachLoader() {
        assertThat(use()).isNotSameAs(use());
    }
}
