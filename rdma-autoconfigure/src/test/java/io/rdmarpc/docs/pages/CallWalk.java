package io.rdmarpc.docs.pages;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** The section of a page in the root directory that follows one call: a heading of the third level for each step. */
record CallWalk(List<Step> steps) {

    private static final String SECTION = "\n## One call in ten steps\n";
    private static final int STEPS = 10;

    private static final Pattern STEP =
            Pattern.compile("^### (\\d+)\\. .*\n((?s:.*?))(?=^### |\\z)", Pattern.MULTILINE);
    private static final Pattern JAVA_LINK = Pattern.compile("\\[`(\\w+)`]\\(([^)\\s#]+\\.java)\\)");

    /** One step, without its heading. */
    record Step(int number, String text) {

        List<String> problems() {
            List<String> problems = new ArrayList<>();
            for (String part : List.of("\n- Thread: ", "\n- Memory: ")) {
                if (!text.contains(part)) {
                    problems.add("step %d does not have the line \"%s\"".formatted(number, part.strip()));
                }
            }
            List<MatchResult> links = JAVA_LINK.matcher(text).results().toList();
            if (links.stream().noneMatch(link -> isInTree(link.group(2)))) {
                problems.add("step %d links to no Java file".formatted(number));
            }
            for (MatchResult link : links) {
                if (!declares(link.group(2), link.group(1))) {
                    problems.add("step %d links %s to %s".formatted(number, link.group(1), link.group(2)));
                }
            }
            for (MatchResult name : new MarkdownPage(MarkdownPage.ROOT, text).classNames()) {
                if (links.stream().noneMatch(link -> declares(link.group(2), name.group(1)))) {
                    problems.add(
                            "step %d names %s, and links no file that declares it".formatted(number, name.group(1)));
                }
            }
            return problems;
        }
    }

    static CallWalk of(String page) {
        int start = page.indexOf(SECTION);
        if (start < 0) {
            return new CallWalk(List.of());
        }
        int begin = start + SECTION.length();
        int next = page.indexOf("\n## ", begin);
        return new CallWalk(STEP.matcher(page.substring(begin, next < 0 ? page.length() : next))
                .results()
                .map(found -> new Step(Integer.parseInt(found.group(1)), found.group(2)))
                .toList());
    }

    /** Returns what is wrong with the walk, in order. */
    List<String> problems() {
        List<String> problems = new ArrayList<>();
        List<Integer> numbers = steps.stream().map(Step::number).toList();
        if (!numbers.equals(IntStream.rangeClosed(1, STEPS).boxed().toList())) {
            problems.add("the steps of the call are " + numbers);
        }
        steps.forEach(step -> problems.addAll(step.problems()));
        return problems;
    }

    private static boolean isInTree(String link) {
        Path file = MarkdownPage.ROOT.resolve(link).normalize();
        return file.startsWith(MarkdownPage.ROOT) && Files.isRegularFile(file);
    }

    private static boolean declares(String link, String type) {
        return isInTree(link)
                && declaration(type)
                        .matcher(read(MarkdownPage.ROOT.resolve(link)))
                        .find();
    }

    /** Matches no line of a comment, because such lines begin with an asterisk or a slash. */
    private static Pattern declaration(String type) {
        return Pattern.compile("^[ \\w@.-]*\\b(?:class|interface|record|enum) " + type + "\\b", Pattern.MULTILINE);
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
