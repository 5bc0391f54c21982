package io.rdmarpc.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;

/** The page of settings says what the metadata says. {@code -Ddocs.write=true} writes it anew. */
class PropertiesDocsTest {

    private static final DocsPage PAGE = new DocsPage("properties.md");

    private final PropertyTables tables = PropertyTables.read();

    @Test
    void thePageHasTheTablesOfTheMetadata() throws IOException {
        assertThat(PAGE.generated("properties", tables.properties())).isEqualTo(tables.properties());
    }

    @Test
    void thePageHasTheSettingsOfEachPreset() throws IOException {
        assertThat(PAGE.generated("presets", tables.presets())).isEqualTo(tables.presets());
    }
}
