package io.rdmarpc.verbs.ibverbs.cm;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The limits of outstanding READs")
class CmDepthsTest {

    @Test
    void shouldBeTheSmallerDepthsOfBothSides() {
        CmDepths requested = new CmDepths(16, 4);

        assertThat(requested.limitedBy(8, 8)).isEqualTo(new CmDepths(8, 4));
        assertThat(requested.limitedBy(255, 0)).isEqualTo(new CmDepths(16, 0));
    }
}
