package io.rdmarpc.maven;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.maven.artifact.Artifact;

/**
 * Builds the class path with which services are described. A module that has {@code rdma-autoconfigure} uses its own
 * versions of all libraries. Any other module, such as one with contracts only, uses the plugin's versions.
 */
final class ClassPaths {

    private static final String DESCRIBES_SERVICES = "io.rdmarpc:rdma-autoconfigure";

    private ClassPaths() {}

    static List<String> of(Path classes, Collection<Artifact> module, Collection<Artifact> plugin) {
        List<String> path = new ArrayList<>();
        path.add(classes.toString());
        Set<String> known = new HashSet<>();
        if (module.stream().noneMatch(artifact -> key(artifact).equals(DESCRIBES_SERVICES))) {
            add(plugin, known, path);
        }
        add(module, known, path);
        return path;
    }

    private static void add(Collection<Artifact> artifacts, Set<String> known, List<String> path) {
        for (Artifact artifact : artifacts) {
            File file = artifact.getFile();
            if (file != null && known.add(key(artifact))) {
                path.add(file.getPath());
            }
        }
    }

    /** Names an artifact without its version; two artifacts with different classifiers have different classes. */
    private static String key(Artifact artifact) {
        String key = artifact.getGroupId() + ":" + artifact.getArtifactId();
        return artifact.hasClassifier() ? key + ":" + artifact.getClassifier() : key;
    }
}
