package io.rdmarpc.maven;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Path;
import java.util.List;
import org.apache.maven.artifact.Artifact;
import org.apache.maven.artifact.DefaultArtifact;
import org.apache.maven.artifact.handler.DefaultArtifactHandler;
import org.junit.jupiter.api.Test;

class ClassPathsTest {

    private static final Path CLASSES = Path.of("classes");

    private static Artifact artifact(String group, String name, String version) {
        DefaultArtifact artifact =
                new DefaultArtifact(group, name, version, "compile", "jar", null, new DefaultArtifactHandler("jar"));
        artifact.setFile(new File(name + "-" + version + ".jar"));
        return artifact;
    }

    private final List<Artifact> plugin = List.of(
            artifact("io.rdmarpc", "rdma-autoconfigure", "2"),
            artifact("io.rdmarpc", "rdma-annotations", "2"),
            artifact("org.springframework", "spring-core", "7"));

    @Test
    void whenTheModuleHasTheStarterThenItUsesItsOwnVersions() {
        List<Artifact> module = List.of(
                artifact("io.rdmarpc", "rdma-autoconfigure", "1"), artifact("org.springframework", "spring-core", "6"));

        assertThat(ClassPaths.of(CLASSES, module, plugin))
                .containsExactly("classes", "rdma-autoconfigure-1.jar", "spring-core-6.jar");
    }

    @Test
    void whenTheModuleHasContractsOnlyThenItUsesThePluginsVersions() {
        List<Artifact> module = List.of(
                artifact("io.rdmarpc", "rdma-annotations", "1"),
                artifact("com.example", "money", "1"),
                artifact("org.springframework", "spring-core", "6"));

        assertThat(ClassPaths.of(CLASSES, module, plugin))
                .containsExactly(
                        "classes",
                        "rdma-autoconfigure-2.jar",
                        "rdma-annotations-2.jar",
                        "spring-core-7.jar",
                        "money-1.jar");
    }

    @Test
    void whenAnArtifactHasNoFileThenItIsOmitted() {
        Artifact unresolved = artifact("com.example", "money", "1");
        unresolved.setFile(null);

        assertThat(ClassPaths.of(CLASSES, List.of(unresolved), List.of())).containsExactly("classes");
    }
}
