package io.rdmarpc.cli;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import io.rdmarpc.verbs.VerbsProvider;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The command line")
class CliArchitectureTest {

    private static final String OWN = "io.rdmarpc.cli";

    private static Set<String> exported() throws URISyntaxException {
        Path transport = Path.of(VerbsProvider.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        return ModuleFinder.of(transport).find("io.rdmarpc.transport").orElseThrow().descriptor().exports().stream()
                .map(ModuleDescriptor.Exports::source)
                .collect(Collectors.toSet());
    }

    @Test
    @DisplayName("uses only the packages that rdma-transport exports, since the class path does not protect the others")
    void shouldUseOnlyExportedPackages() throws URISyntaxException {
        Set<String> exported = exported();
        assertThat(exported).contains("io.rdmarpc.verbs").doesNotContain("io.rdmarpc.verbs.soft");

        noClasses()
                .should()
                .dependOnClassesThat(DescribedPredicate.describe(
                        "internals of rdma-transport",
                        (JavaClass type) -> type.getPackageName().startsWith("io.rdmarpc.")
                                && !type.getPackageName().equals(OWN)
                                && !exported.contains(type.getPackageName())))
                .check(new ClassFileImporter()
                        .withImportOption(new DoNotIncludeTests())
                        .importPackages(OWN));
    }

    @Test
    @DisplayName("needs neither Spring nor another library")
    void shouldNeedOnlyTheTransport() {
        noClasses()
                .should()
                .dependOnClassesThat(DescribedPredicate.describe(
                        "other libraries",
                        (JavaClass type) -> !type.getPackageName().startsWith("io.rdmarpc.")
                                && !type.getPackageName().startsWith("java.")
                                && !type.getPackageName().startsWith("org.jspecify.")
                                && !type.getPackageName().isEmpty()))
                .check(new ClassFileImporter()
                        .withImportOption(new DoNotIncludeTests())
                        .importPackages(OWN));
    }
}
