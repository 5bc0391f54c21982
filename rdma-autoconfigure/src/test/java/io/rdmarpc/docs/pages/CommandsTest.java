package io.rdmarpc.docs.pages;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests the commands of the pages. Commands that change nothing and need no build run here. The others take minutes,
 * a virtual machine or the whole build. They must be among the commands of CI, and their options must be known to the
 * program. Commands of the tutorials are run by {@code config/new-user-check}.
 */
@EnabledOnOs(OS.LINUX)
@Timeout(120)
@DisplayName("Commands on pages are run")
class CommandsTest {

    private static final Pattern RUN_HERE =
            Pattern.compile("\\./rdma-rpc (doctor|devices)( .*)?|config/host/\\S+ .*--dry-run.*|openssl rand .*");
    private static final Pattern OPTION = Pattern.compile("--[a-z][a-z-]*");

    private static final Pattern OWN_FILE = Pattern.compile("(?<![\\w/-])(?:\\./|config/|benchmarks/)[\\w./-]*\\w");
    private static final Pattern JAVA_PROGRAM = Pattern.compile("io\\.rdmarpc\\.[a-z.]+\\.([A-Z]\\w+)");
    /** Programs that define the words of their command line: a script, or the benchmarks. */
    private static final Pattern OWN_PROGRAM =
            Pattern.compile("(^benchmarks/[a-z-]+|benchmarks/target/benchmarks\\.jar)(?= |$)(.*)");
    /** A command, or an option with a long name. */
    private static final Pattern WORD = Pattern.compile("(?<=^ )[a-z][a-z-]+|(?<= |\\[)--[a-z][a-z-]*");

    /** Names the pages that it follows. It fails if it does not run each of their shell blocks. */
    private static final String NEW_USER_CHECK = "config/new-user-check";

    private static final List<String> ALL = MarkdownPage.all().stream()
            .filter(page -> !isFollowed(page))
            .flatMap(page -> page.commands().stream())
            .distinct()
            .toList();

    private static boolean isFollowed(MarkdownPage page) {
        return List.of(read(MarkdownPage.ROOT.resolve(NEW_USER_CHECK)).split("\\s+", -1))
                .contains(page.name());
    }

    static Stream<String> here() {
        return ALL.stream().filter(RUN_HERE.asMatchPredicate());
    }

    static Stream<String> elsewhere() {
        return ALL.stream().filter(RUN_HERE.asMatchPredicate().negate());
    }

    private record Result(int status, String output) {}

    private static Result bash(String command) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder("bash", "-c", command)
                .directory(MarkdownPage.ROOT.toFile())
                .redirectErrorStream(true);
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        Process process = builder.start();
        process.getOutputStream().close();
        String output = String.join("\n", process.inputReader().lines().toList());
        assertThat(process.waitFor(100, TimeUnit.SECONDS)).as(output).isTrue();
        return new Result(process.exitValue(), output);
    }

    @ParameterizedTest
    @MethodSource("here")
    void whenACommandNeedsNothingThenItSucceeds(String command) throws Exception {
        Result result = bash(command);

        assertThat(result.status()).as(result.output()).isZero();
    }

    @ParameterizedTest
    @MethodSource("elsewhere")
    void whenACommandTakesLongThenCiRunsIt(String command) throws Exception {
        String program = command.split(" ", -1)[0];

        assertThat(whatCiRuns()).contains(program);
        if (Files.isRegularFile(MarkdownPage.ROOT.resolve(program))) {
            assertThat(MarkdownPage.ROOT.resolve(program)).isExecutable();
            List<String> options = OPTION.matcher(command)
                    .results()
                    .map(found -> found.group())
                    .toList();
            String script = Files.readString(MarkdownPage.ROOT.resolve(program));
            assertThat(options).allMatch(script::contains);
        }
    }

    @Test
    void whenATutorialHasCommandsThenTheCheckOfANewUserFollowsIt() throws Exception {
        assertThat(whatCiRuns()).contains(NEW_USER_CHECK);
        assertThat(MarkdownPage.all())
                .filteredOn(page -> page.name().startsWith("docs/tutorial/")
                        && !page.commands().isEmpty())
                .hasSizeGreaterThan(3)
                .allMatch(CommandsTest::isFollowed);
    }

    static Stream<String> apart() {
        return MarkdownPage.all().stream()
                .flatMap(page -> page.indentedCommands().stream())
                .distinct();
    }

    /**
     * Many of them are the synopsis of a program, with brackets. Commands that take an hour or two hosts are run by
     * hand.
     */
    @ParameterizedTest
    @MethodSource("apart")
    void whenACommandIsIndentedThenItsProgramFilesAndWordsExist(String command) throws Exception {
        OWN_FILE.matcher(command)
                .results()
                .map(found -> found.group())
                .filter(file -> !file.contains("/target/"))
                .forEach(file -> assertThat(MarkdownPage.ROOT.resolve(file)).exists());
        JAVA_PROGRAM
                .matcher(command)
                .results()
                .forEach(found -> assertThat(benchmarkSources()).contains("class " + found.group(1)));

        Matcher own = OWN_PROGRAM.matcher(command);
        if (own.find()) {
            String program = own.group(1);
            String known = program.endsWith(".jar")
                    ? benchmarkSources()
                    : Files.readString(MarkdownPage.ROOT.resolve(program)) + benchmarkSources();
            assertThat(WORD.matcher(own.group(2)).results().map(found -> found.group()))
                    .allMatch(known::contains);
        }
    }

    private static String benchmarkSources() {
        try (Stream<Path> files = Files.walk(MarkdownPage.ROOT.resolve("benchmarks/src/main/java"))) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .map(CommandsTest::read)
                    .collect(Collectors.joining());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void whenCommandsAreIndentedThenTheyAreFound() {
        assertThat(apart())
                .contains(
                        "benchmarks/run quick",
                        "config/soft-roce-vm/run config/soft-roce-vm/perf-check",
                        "benchmarks/metrics-cost");
    }

    private static String whatCiRuns() throws IOException {
        return Files.readString(MarkdownPage.ROOT.resolve(".ci/run"))
                + Files.readString(MarkdownPage.ROOT.resolve("full-check"));
    }

    @Test
    void whenThereIsAShellScriptThenItsSyntaxIsValid() throws Exception {
        List<Path> scripts = scripts();

        assertThat(scripts).hasSizeGreaterThan(10);
        for (Path script : scripts) {
            Result result = bash("bash -n '" + script + "'");
            assertThat(result.status()).as("%s: %s", script, result.output()).isZero();
        }
    }

    private static List<Path> scripts() throws IOException {
        try (Stream<Path> config = Files.walk(MarkdownPage.ROOT.resolve("config"));
                Stream<Path> root = Files.list(MarkdownPage.ROOT);
                Stream<Path> benchmarks = Files.list(MarkdownPage.ROOT.resolve("benchmarks"));
                Stream<Path> stress = Files.list(MarkdownPage.ROOT.resolve("stress"))) {
            return Stream.of(config, root, benchmarks, stress)
                    .flatMap(files -> files)
                    .filter(Files::isRegularFile)
                    .filter(CommandsTest::isBash)
                    .toList();
        }
    }

    private static boolean isBash(Path file) {
        try (Stream<String> lines = Files.lines(file, java.nio.charset.StandardCharsets.ISO_8859_1)) {
            return lines.findFirst()
                    .filter(line -> line.equals("#!/usr/bin/env bash") || line.equals("# shellcheck shell=bash"))
                    .isPresent();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
