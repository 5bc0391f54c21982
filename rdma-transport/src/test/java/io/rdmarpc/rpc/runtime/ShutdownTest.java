package io.rdmarpc.rpc.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ShutdownTest {

    @Test
    void whenAPartCannotBeClosedThenTheOthersAreStillClosed() {
        List<String> closed = new ArrayList<>();

        assertThatIllegalStateException()
                .isThrownBy(() -> Shutdown.closeAll(List.of(
                        () -> closed.add("first"),
                        () -> fail("second"),
                        () -> closed.add("third"),
                        () -> fail("fourth"),
                        () -> closed.add("fifth"))))
                .withMessage("second")
                .satisfies(e -> assertThat(e.getSuppressed())
                        .singleElement()
                        .satisfies(suppressed -> assertThat(suppressed).hasMessage("fourth")));
        assertThat(closed).containsExactly("first", "third", "fifth");
    }

    private static void fail(String part) {
        throw new IllegalStateException(part);
    }
}
