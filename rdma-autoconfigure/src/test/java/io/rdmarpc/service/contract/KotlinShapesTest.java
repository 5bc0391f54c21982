package io.rdmarpc.service.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.annotation.RdmaService;
import io.rdmarpc.service.LoopbackPair;
import java.util.List;
import kotlin.coroutines.Continuation;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Interfaces as the Kotlin compiler generates them. */
@DisplayName("An interface in Kotlin")
class KotlinShapesTest {

    /** {@code val owner: String}, a function with a body, one with a default argument, and a read-only list. */
    @RdmaService
    interface Shelf {

        String getOwner();

        List<String> titles(List<? extends CharSequence> words);

        String greet(String name);

        default String welcome() {
            return greet("reader");
        }

        /** Contains bodies and default arguments for callers that older compilers generated. */
        final class DefaultImpls {

            private DefaultImpls() {}

            public static String welcome(Shelf shelf) {
                return shelf.welcome();
            }

            public static String greet$default(Shelf shelf, String name, int missing, Object marker) {
                return shelf.greet((missing & 1) == 0 ? name : "nobody");
            }
        }
    }

    @RdmaService
    interface Suspending {

        Object find(String title, Continuation<? super String> rest);
    }

    private final LoopbackPair pair = new LoopbackPair();

    private final Shelf bean = new Shelf() {
        @Override
        public String getOwner() {
            return "Ada";
        }

        @Override
        public List<String> titles(List<? extends CharSequence> words) {
            return words.stream().map(word -> word + "!").toList();
        }

        @Override
        public String greet(String name) {
            return "hello " + name;
        }
    };

    @Test
    void whenItHasPropertiesAndBodiesThenItWorksLikeAJavaInterface() {
        Shelf shelf = pair.connect(Shelf.class, bean);

        assertThat(shelf.getOwner()).isEqualTo("Ada");
        assertThat(shelf.titles(List.of("a", "b"))).containsExactly("a!", "b!");
        assertThat(shelf.welcome()).isEqualTo("hello reader");
        assertThat(Shelf.DefaultImpls.welcome(shelf)).isEqualTo("hello reader");
        assertThat(Shelf.DefaultImpls.greet$default(shelf, "", 1, null)).isEqualTo("hello nobody");
    }

    @Test
    void whenAFunctionSuspendsThenItIsRejectedWithAMessage() {
        assertThatExceptionOfType(RdmaInvalidServiceException.class)
                .isThrownBy(() -> ServiceDescription.of(Suspending.class))
                .withMessageContaining("Suspending.find is a suspending function");
    }
}
