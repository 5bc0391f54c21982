package io.rdmarpc.docs.samples;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.docs.pages.Pages;
import io.rdmarpc.service.contract.check.ContractCheck;
import io.rdmarpc.service.observation.RdmaMeter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Settings, meters and tags that any page names exist")
class NamesOnPagesTest {

    /** Metadata keys of an instance in a registry. */
    private static final Set<String> OTHERS = Set.of("rdma.control-port");

    private static final Pattern PARAMETER = Pattern.compile("property = \"([a-z.]+)\"");

    @Test
    void whenAPageNamesASettingMeterOrTagThenItExists() throws IOException {
        Map<String, String> settings = SettingsFile.types();
        Set<String> others = new HashSet<>(OTHERS);
        others.add(ContractCheck.APPROVE);
        others.addAll(parametersOfThePlugin());
        for (RdmaMeter meter : RdmaMeter.values()) {
            others.add(meter.meterName());
            others.addAll(meter.tags());
        }

        assertThat(Pages.names())
                .allSatisfy((page, names) -> assertThat(names)
                        .as(page)
                        .allMatch(name -> isKnown(name, others) || isSetting(name, settings) || isOfOurTests(name)));
    }

    /** Returns the properties of the Maven goals. */
    private static List<String> parametersOfThePlugin() throws IOException {
        String goals =
                Files.readString(Path.of("../rdma-rpc-maven-plugin/src/main/java/io/rdmarpc/maven/ContractMojo.java"));
        return PARAMETER.matcher(goals).results().map(found -> found.group(1)).toList();
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
