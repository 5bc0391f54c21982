package io.rdmarpc.docs.samples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.autoconfigure.properties.BoundSettings;
import io.rdmarpc.docs.pages.Pages;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.validation.autoconfigure.ValidationAutoConfiguration;

@DisplayName("Settings in config/spring and on pages are settings that exist")
class SettingsSamplesTest {

    private static final Path SAMPLES = Path.of("../config/spring");

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(ValidationAutoConfiguration.class))
            .withUserConfiguration(BoundSettings.Configured.class);

    static Stream<SettingsFile> files() throws IOException {
        try (Stream<Path> files = Files.list(SAMPLES)) {
            List<Path> all = files.sorted().toList();
            assertThat(all).hasSizeGreaterThanOrEqualTo(7);
            return all.stream().map(SettingsFile::of);
        }
    }

    static Stream<SettingsFile> everything() throws IOException {
        return Stream.concat(files(), Pages.yaml().entrySet().stream().map(SettingsSamplesTest::block));
    }

    private static SettingsFile block(Map.Entry<String, String> block) {
        try {
            return SettingsFile.of(block.getKey(), block.getValue());
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @MethodSource("everything")
    void whenASettingIsOfRdmaThenItBinds(SettingsFile file) {
        assertThat(file.bind()).isNotNull();
    }

    @ParameterizedTest
    @MethodSource("everything")
    void whenASettingIsOfAnotherLibraryThenItsMetadataHasIt(SettingsFile file) throws IOException {
        Map<String, String> types = SettingsFile.types();

        assertThat(file.keys())
                .filteredOn(key -> !key.startsWith("rdma."))
                .allMatch(key -> SettingsFile.isKnown(key, types));
    }

    @ParameterizedTest
    @MethodSource("files")
    void whenAnApplicationUsesASampleThenItsValuesAreValid(SettingsFile file) {
        runner.withInitializer(context -> {
                    file.sources().forEach(context.getEnvironment().getPropertySources()::addLast);
                    context.getEnvironment().getPropertySources().addLast(SettingsFile.ENVIRONMENT);
                })
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void whenASettingDoesNotExistThenThisTestFindsIt() throws IOException {
        SettingsFile wrong = SettingsFile.of("wrong", "rdma:\n  polling:\n    thread: 2\n");

        assertThatExceptionOfType(BindException.class).isThrownBy(wrong::bind);
        assertThat(SettingsFile.isKnown("spring.threads.virtual.enable", SettingsFile.types()))
                .isFalse();
    }

    @Test
    void whenASampleSetsAPresetThenItIsThePresetOfItsName() {
        assertThat(SettingsFile.of(SAMPLES.resolve("latency.yml")).bind().preset())
                .isEqualTo("LATENCY");
        assertThat(SettingsFile.of(SAMPLES.resolve("throughput.yml")).bind().preset())
                .isEqualTo("THROUGHPUT");
        assertThat(SettingsFile.of(SAMPLES.resolve("low-cpu.yml")).bind().preset())
                .isEqualTo("LOW_CPU");
    }
}
