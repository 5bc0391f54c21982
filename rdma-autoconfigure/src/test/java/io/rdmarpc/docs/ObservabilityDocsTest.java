package io.rdmarpc.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.service.observation.RdmaMeter;
import java.io.IOException;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** Compares the page of meters with the code. {@code -Ddocs.write=true} rewrites it. */
class ObservabilityDocsTest {

    private static final DocsPage PAGE = new DocsPage("reference/meters.md");

    @Test
    void shouldListEveryMeter() throws IOException {
        assertThat(PAGE.generated("meters", meters())).isEqualTo(meters());
    }

    private static String meters() {
        StringBuilder text = new StringBuilder("\n| meter | kind | unit | tags | meaning |\n|---|---|---|---|---|\n");
        for (RdmaMeter meter : RdmaMeter.values()) {
            text.append("| `")
                    .append(meter.meterName())
                    .append("` | ")
                    .append(meter.kind().name().toLowerCase(Locale.ROOT))
                    .append(" | ")
                    .append(meter.unit())
                    .append(" | `")
                    .append(String.join("` `", meter.tags()))
                    .append("` | ")
                    .append(meter.description())
                    .append(" |\n");
        }
        return text.append('\n').toString();
    }
}
