package io.rdmarpc.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;

/** Compares the page of settings with the metadata. {@code -Ddocs.write=true} rewrites it. */
class PropertiesDocsTest {

    private static final DocsPage PAGE = new DocsPage("reference/properties.md");

    private final PropertyTables tables = PropertyTables.read();

    @Test
    void shouldHaveTheTablesOfTheMetadata() throws IOException {
        assertThat(PAGE.generated("properties", tables.properties())).isEqualTo(tables.properties());
    }

    @Test
    void shouldHaveTheSettingsOfEachPreset() throws IOException {
        assertThat(PAGE.generated("presets", tables.presets())).isEqualTo(tables.presets());
    }
}
