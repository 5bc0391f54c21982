package io.rdmarpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.annotation.RdmaService;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.service.client.RdmaServiceProxyFactory;
import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.classfile.constantpool.Utf8Entry;
import java.net.URISyntaxException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Limits the size of packages and of their dependency cycles. A cycle is a set of classes of one package that all
 * reach each other by the types that they refer to (a strongly connected component). A reader of one class has to
 * read all of them. Nested classes count as part of the outermost class.
 */
@DisplayName("Packages of the annotations, the starter and the transport")
class PackagesTest {

    private static final int MAX_KNOT = 10;
    private static final int MAX_CLASSES = 25;

    private static final String PREFIX = "io/rdmarpc/";
    private static final Pattern IN_DESCRIPTOR = Pattern.compile("L(" + PREFIX + "[\\w/$]+)");

    @Test
    @DisplayName("have dependency cycles of at most ten classes")
    void shouldHaveSmallCycles() throws IOException, URISyntaxException {
        Map<String, Set<String>> references = references();
        Map<String, List<String>> tooLarge = new TreeMap<>();
        packages(references.keySet()).forEach((name, classes) -> {
            List<String> largest = new Knots(classes, references).largest();
            if (largest.size() > MAX_KNOT) {
                tooLarge.put(name, largest);
            }
        });

        assertThat(tooLarge).isEmpty();
    }

    @Test
    @DisplayName("have at most 25 classes")
    void shouldHaveFewClasses() throws IOException, URISyntaxException {
        Map<String, Integer> tooLarge = new TreeMap<>();
        packages(references().keySet()).forEach((name, classes) -> {
            if (classes.size() > MAX_CLASSES) {
                tooLarge.put(name, classes.size());
            }
        });

        assertThat(tooLarge).isEmpty();
    }

    @Test
    @DisplayName("have classes with distinct names")
    void shouldHaveDistinctClassNames() throws IOException, URISyntaxException {
        Map<String, List<String>> byName = references().keySet().stream()
                .collect(Collectors.groupingBy(type -> type.substring(type.lastIndexOf('.') + 1)));

        assertThat(byName.values()).allSatisfy(classes -> assertThat(classes).hasSize(1));
    }

    private static Map<String, Set<String>> packages(Set<String> classes) {
        Map<String, Set<String>> packages = new TreeMap<>();
        for (String name : classes) {
            packages.computeIfAbsent(name.substring(0, name.lastIndexOf('.')), _ -> new TreeSet<>())
                    .add(name);
        }
        assertThat(packages).containsKeys("io.rdmarpc.rpc.engine", "io.rdmarpc.service.client");
        return packages;
    }

    /**
     * Returns the project's classes that each class refers to, from its constant pool, which contains all types of
     * its code and signatures.
     */
    private static Map<String, Set<String>> references() throws IOException, URISyntaxException {
        Map<String, Set<String>> references = new TreeMap<>();
        for (Class<?> anyOfModule : List.of(RdmaService.class, RdmaRuntime.class, RdmaServiceProxyFactory.class)) {
            Path classes = Path.of(anyOfModule
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
            if (Files.isDirectory(classes)) {
                collect(classes, references);
            } else {
                try (FileSystem jar = FileSystems.newFileSystem(classes)) {
                    collect(jar.getPath("/"), references);
                }
            }
        }
        return references;
    }

    private static void collect(Path root, Map<String, Set<String>> references) throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            for (Path file : files.filter(path -> path.toString().matches(".*/io/rdmarpc/.*(?<!-info)\\.class"))
                    .toList()) {
                ClassModel type = ClassFile.of().parse(Files.readAllBytes(file));
                Set<String> known =
                        references.computeIfAbsent(outermost(type.thisClass().asInternalName()), _ -> new TreeSet<>());
                for (PoolEntry entry : type.constantPool()) {
                    addTypes(entry, known);
                }
            }
        }
    }

    private static void addTypes(PoolEntry entry, Set<String> known) {
        if (entry instanceof ClassEntry type && type.asInternalName().startsWith(PREFIX)) {
            known.add(outermost(type.asInternalName()));
        } else if (entry instanceof Utf8Entry text) {
            Matcher types = IN_DESCRIPTOR.matcher(text.stringValue());
            while (types.find()) {
                known.add(outermost(types.group(1)));
            }
        }
    }

    private static String outermost(String internalName) {
        int nested = internalName.indexOf('$');
        return (nested < 0 ? internalName : internalName.substring(0, nested)).replace('/', '.');
    }

    /** Finds the strongly connected components of a set of classes (Tarjan 1972). */
    private static final class Knots {

        private final Set<String> classes;
        private final Map<String, Set<String>> references;
        private final Map<String, Integer> order = new HashMap<>();
        private final Map<String, Integer> lowest = new HashMap<>();
        private final Deque<String> open = new ArrayDeque<>();
        private final Collection<List<String>> found = new ArrayList<>();

        Knots(Set<String> classes, Map<String, Set<String>> references) {
            this.classes = classes;
            this.references = references;
        }

        List<String> largest() {
            classes.stream().filter(type -> !order.containsKey(type)).forEach(this::visit);
            return found.stream().max(Comparator.comparingInt(List::size)).orElseThrow();
        }

        private void visit(String type) {
            order.put(type, order.size());
            lowest.put(type, order.get(type));
            open.push(type);
            for (String other : references.get(type)) {
                if (classes.contains(other) && !order.containsKey(other)) {
                    visit(other);
                    lowest.merge(type, lowest.get(other), Math::min);
                } else if (open.contains(other)) {
                    lowest.merge(type, order.get(other), Math::min);
                }
            }
            if (lowest.get(type).equals(order.get(type))) {
                close(type);
            }
        }

        private void close(String first) {
            List<String> knot = new ArrayList<>();
            String type;
            do {
                type = open.pop();
                knot.add(type);
            } while (!type.equals(first));
            found.add(knot.stream().sorted().toList());
        }
    }
}
