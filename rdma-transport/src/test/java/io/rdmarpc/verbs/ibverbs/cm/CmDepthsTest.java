package io.rdmarpc.verbs.ibverbs.cm;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The READs under way are")
class CmDepthsTest {

    @Test
    void thoseBothSidesCan() {
        CmDepths asked = new CmDepths(16, 4);

        assertThat(asked.limitedBy(8, 8)).isEqualTo(new CmDepths(8, 4));
        assertThat(asked.limitedBy(255, 0)).isEqualTo(new CmDepths(16, 0));
    }
}
