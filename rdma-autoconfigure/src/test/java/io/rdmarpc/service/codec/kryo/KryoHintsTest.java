package io.rdmarpc.service.codec.kryo;

import static org.assertj.core.api.Assertions.assertThat;

import com.esotericsoftware.kryo.Kryo;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.core.io.support.SpringFactoriesLoader;

class KryoHintsTest {

    private final RuntimeHints hints = new RuntimeHints();

    private void register(ClassLoader loader) {
        SpringFactoriesLoader.forResourceLocation("META-INF/spring/aot.factories")
                .load(RuntimeHintsRegistrar.class)
                .stream()
                .filter(KryoHints.class::isInstance)
                .forEach(registrar -> registrar.registerHints(hints, loader));
    }

    @ParameterizedTest
    @ValueSource(classes = {Instant.class, Optional.class})
    void whenKryoInstantiatesASerializerByReflectionThenAnImageHasItsConstructor(Class<?> type) {
        register(getClass().getClassLoader());

        assertThat(RuntimeHintsPredicates.reflection()
                        .onType(TypeReference.of(
                                new Kryo().getDefaultSerializer(type).getClass()))
                        .withMemberCategory(MemberCategory.INVOKE_DECLARED_CONSTRUCTORS))
                .accepts(hints);
    }

    @Test
    void whenKryoIsAbsentThenThereAreNoHints() {
        register(new FilteredClassLoader("com.esotericsoftware.kryo"));

        assertThat(hints.reflection().typeHints()).isEmpty();
    }
}
