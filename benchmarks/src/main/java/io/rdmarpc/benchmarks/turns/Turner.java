package io.rdmarpc.benchmarks.turns;

import io.rdmarpc.benchmarks.peer.Peers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * A program that runs in turns with other programs.
 *
 * @param name one of {@link Peers}, or {@code FLAG}
 * @param build directory with {@code benchmarks.jar} and {@code lib} of another build; null for this build
 */
public record Turner(String name, @Nullable Path build) {

    /** Name for two processes that exchange a number in shared memory. */
    public static final Turner FLAG = new Turner(TurnsProcess.FLAG, null);

    /** Parses {@code NAME} or {@code NAME@DIRECTORY}. */
    public static final class Converter implements ITypeConverter<Turner> {

        @Override
        public Turner convert(String word) {
            int at = word.indexOf('@');
            String name = at < 0 ? word : word.substring(0, at);
            List<String> names = Arrays.stream(Peers.values()).map(Peers::name).toList();
            if (!names.contains(name)) {
                throw new TypeConversionException("unknown peer " + name + ": choose from " + names);
            }
            Path build = at < 0 ? null : Path.of(word.substring(at + 1));
            if (build != null && (!Files.isRegularFile(jar(build)) || !Files.isDirectory(build.resolve("lib")))) {
                throw new TypeConversionException("there are no benchmarks.jar and lib in " + build
                        + ": copy both from benchmarks/target of the other build");
            }
            return new Turner(name, build);
        }
    }

    private static Path jar(Path build) {
        return build.resolve("benchmarks.jar");
    }

    /** Returns a command line whose class path is the jar of the build. */
    public List<String> withBuild(List<String> line) {
        List<String> changed = new ArrayList<>(line);
        if (build != null) {
            changed.set(line.indexOf("-cp") + 1, jar(build).toString());
        }
        return changed;
    }

    @Override
    public String toString() {
        return build == null ? name : name + "@" + build;
    }
}
