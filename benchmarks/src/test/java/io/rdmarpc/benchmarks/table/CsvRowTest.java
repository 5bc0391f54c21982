package io.rdmarpc.benchmarks.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CsvRowTest {

    @TempDir
    private Path directory;

    @Test
    void shouldReadItsOwnFormat() throws IOException {
        Path file = directory.resolve("some.csv");
        CsvRow first = CsvRow.of("name", "an \"order\", 32 B", "value", 2.5);
        CsvRow second = CsvRow.of("name", "", "value", Double.NaN);

        first.appendTo(file);
        second.appendTo(file);

        assertThat(Files.readAllLines(file)).containsExactly("name,value", "\"an \"\"order\"\", 32 B\",2.500000", ",");
        assertThat(CsvRow.read(file)).containsExactly(first, second);
    }

    @Test
    void whenACellIsEmptyThenItsNumberIsNaN() {
        assertThat(CsvRow.of("value", Double.NaN).number("value")).isNaN();
        assertThat(CsvRow.of("value", 1).number("other")).isNaN();
    }

    @Test
    void whenThereIsNoFileThenThereAreNoRows() throws IOException {
        assertThat(CsvRow.read(directory.resolve("none.csv"))).isEmpty();
    }
}
