package io.rdmarpc.docs.pages;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Code of a page is in a source file that can use its imports")
class JavaSourcesTest {

    private static final String BODY = "String name() { return Names.of(CallMode.FAST); }\n";
    private static final String IMPORTS = "import io.rdmarpc.names.Names;\nimport io.rdmarpc.modes.CallMode;\n";

    private static final JavaSources SOURCES = new JavaSources(Map.of(
            Path.of("/clone/rdma-transport/src/main/java/io/rdmarpc/names/Names.java"),
            JavaSources.withoutSpace("package io.rdmarpc.names; public final class Names {}"),
            Path.of("/clone/rdma-transport/src/main/java/io/rdmarpc/modes/CallMode.java"),
            JavaSources.withoutSpace("package io.rdmarpc.modes; public enum CallMode { FAST }"),
            Path.of("/clone/rdma-transport/src/main/java/io/rdmarpc/modes/Names.java"),
            JavaSources.withoutSpace("package io.rdmarpc.modes; public final class Names {}"),
            Path.of("/clone/rdma-transport/src/test/java/io/rdmarpc/names/Example.java"),
            JavaSources.withoutSpace("package io.rdmarpc.names; import io.rdmarpc.modes.CallMode;"
                    + " import java.util.List; final class Example { " + BODY + " }")));

    private static boolean isFound(String code) {
        return SOURCES.contain(JavaSnippet.of(code));
    }

    private static List<String> missing(String... code) {
        return SOURCES.missingImports(Arrays.stream(code).map(JavaSnippet::of).toList());
    }

    @Test
    void shouldFindCodeWithoutImports() {
        assertThat(isFound(BODY)).isTrue();
    }

    @Test
    void shouldFindCodeWithImportsOfOtherPackagesAndOfItsOwn() {
        assertThat(isFound(IMPORTS + "\n" + BODY)).isTrue();
    }

    @Test
    void whenAnImportedClassDoesNotExistThenTheCodeIsNotFound() {
        assertThat(isFound("import io.rdmarpc.modes.CallModes;\n\n" + BODY)).isFalse();
        assertThat(isFound("import io.rdmarpc.names.CallMode;\n\n" + BODY)).isFalse();
    }

    @Test
    void whenAnImportedClassExistsButTheFileHasAnotherOneThenTheCodeIsNotFound() {
        assertThat(isFound("import io.rdmarpc.modes.Names;\n\n" + BODY)).isFalse();
    }

    @Test
    void whenTheCodeDiffersThenItIsNotFound() {
        assertThat(isFound(IMPORTS + "\n" + BODY.replace("FAST", "SLOW"))).isFalse();
    }

    @Test
    void shouldListClassesThatNoSnippetImports() {
        assertThat(missing(BODY)).containsExactlyInAnyOrder("io.rdmarpc.names.Names", "io.rdmarpc.modes.CallMode");
        assertThat(missing("import io.rdmarpc.names.Names;\n\n" + BODY)).containsExactly("io.rdmarpc.modes.CallMode");
        assertThat(missing(IMPORTS + "\n" + BODY)).isEmpty();
    }

    @Test
    void whenAnEarlierSnippetHasTheImportThenALaterOneNeedsNone() {
        assertThat(missing(IMPORTS + "\n" + BODY, BODY)).isEmpty();
        assertThat(missing(BODY, IMPORTS + "\n" + BODY)).hasSize(2);
    }
}
