package io.rdmarpc.docs.samples;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.docs.pages.Pages;
import io.rdmarpc.service.observation.RdmaMeter;
import java.io.IOException;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Settings, meters and tags that any page names exist")
class NamesOnPagesTest {

    /** Metadata keys of an instance in a registry. */
    private static final Set<String> OTHERS = Set.of("rdma.control-port");

    @Test
    void whenAPageNamesASettingMeterOrTagThenItExists() throws IOException {
        Map<String, String> settings = SettingsFile.types();
        Set<String> others = new HashSet<>(OTHERS);
        for (RdmaMeter meter : RdmaMeter.values()) {
            others.add(meter.meterName());
            others.addAll(meter.tags());
        }

        assertThat(Pages.names())
                .allSatisfy((page, names) -> assertThat(names)
                        .as(page)
                        .allMatch(name -> isKnown(name, others) || isSetting(name, settings) || isOfOurTests(name)));
    }

    /** Returns whether a name is known, or a prefix of known names. */
    private static boolean isKnown(String name, Set<String> others) {
        return others.contains(name) || others.stream().anyMatch(known -> known.startsWith(name + "."));
    }

    private static boolean isSetting(String name, Map<String, String> settings) {
        return SettingsFile.isKnown(name, settings)
                || settings.keySet().stream().anyMatch(known -> known.startsWith(name + "."));
    }

    private static boolean isOfOurTests(String name) {
        return name.startsWith("rdma.test.") || name.equals("rdma.benchmark");
    }
}
