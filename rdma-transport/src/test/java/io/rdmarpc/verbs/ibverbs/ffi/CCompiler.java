package io.rdmarpc.verbs.ibverbs.ffi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs gcc for tests that compare with C. Without gcc they are skipped, except in CI. */
public final class CCompiler {

    private final Path directory;

    /** Creates a compiler that works in a directory. */
    public CCompiler(Path directory) throws IOException, InterruptedException {
        this.directory = directory;
        require(run("gcc", "--version").status() == 0, "there is no gcc");
    }

    /** Skips the test if a header is missing. */
    public void requireHeader(String header) throws IOException, InterruptedException {
        Path source = Files.writeString(directory.resolve("header.c"), "#include <" + header + ">\n");
        boolean there = run("gcc", "-fsyntax-only", source.toString()).status() == 0;
        require(there, "there is no <" + header + ">: apt install libibverbs-dev librdmacm-dev");
    }

    /** Compiles and runs a program; returns its output. */
    public List<String> outputOf(String source) throws IOException, InterruptedException {
        Path program = compile(source, "probe");
        Result result = run(program.toString());
        assertThat(result.status()).as("%s", result.lines()).isZero();
        return result.lines();
    }

    /** Compiles a shared library. */
    Path library(String source, String... options) throws IOException, InterruptedException {
        List<String> all = new ArrayList<>(List.of("-shared", "-fPIC"));
        all.addAll(List.of(options));
        return compile(source, "library.so", all.toArray(String[]::new));
    }

    /** Compiles a program that uses these libraries. */
    public Path program(String source, String name, String... libraries) throws IOException, InterruptedException {
        return compile(source, name, libraries);
    }

    private Path compile(String source, String name, String... options) throws IOException, InterruptedException {
        Path file = Files.writeString(directory.resolve(name + ".c"), source);
        Path result = directory.resolve(name);
        List<String> command = new ArrayList<>(List.of("gcc", "-O1", "-o", result.toString(), file.toString()));
        command.addAll(List.of(options));
        Result compiled = run(command.toArray(String[]::new));
        assertThat(compiled.status())
                .as("gcc: %s", String.join("\n", compiled.lines()))
                .isZero();
        return result;
    }

    private static void require(boolean there, String otherwise) {
        if ("true".equals(System.getenv("CI"))) {
            assertThat(there).as("CI must run this test, but %s", otherwise).isTrue();
        }
        assumeTrue(there, otherwise);
    }

    private static Result run(String... command) throws IOException, InterruptedException {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            List<String> lines = process.inputReader().lines().toList();
            return new Result(process.waitFor(), lines);
        } catch (IOException e) {
            return new Result(-1, List.of(String.valueOf(e.getMessage())));
        }
    }

    private record Result(int status, List<String> lines) {}
}
