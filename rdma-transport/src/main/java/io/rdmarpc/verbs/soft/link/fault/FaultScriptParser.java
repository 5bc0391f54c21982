package io.rdmarpc.verbs.soft.link.fault;

import io.rdmarpc.verbs.error.RdmaConfigurationException;
import io.rdmarpc.verbs.soft.link.fault.FaultScript.Action;
import io.rdmarpc.verbs.soft.link.fault.FaultScript.Step;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Parses a {@link FaultScript}. */
final class FaultScriptParser {

    private static final Pattern WORD = Pattern.compile("[^\\s;]+|;");
    private static final Pattern NUMBERS = Pattern.compile("(\\d{1,18})(?:-(\\d{1,18}))?");
    private static final Pattern TIME = Pattern.compile("(\\d{1,9})(us|ms|s)");
    private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(1);

    private static final String ACTIONS =
            Arrays.stream(Action.values()).map(Action::word).collect(Collectors.joining(", "));
    private static final String KINDS = "any, "
            + Arrays.stream(PacketKind.values())
                    .filter(kind -> kind != PacketKind.ANY)
                    .map(PacketKind::name)
                    .collect(Collectors.joining(", "));

    private final String setting;
    private final String text;
    private final List<Word> words = new ArrayList<>();
    private int at;

    /** A word or a semicolon; {@code position} counts characters from 1. */
    private record Word(String text, int position) {
        private boolean endsStep() {
            return text.equals(";") || text.isEmpty();
        }
    }

    FaultScriptParser(String setting, String text) {
        this.setting = setting;
        this.text = text;
        Matcher matcher = WORD.matcher(text);
        while (matcher.find()) {
            words.add(new Word(matcher.group(), matcher.start() + 1));
        }
    }

    FaultScript parse() {
        List<Step> steps = new ArrayList<>();
        while (at < words.size()) {
            if (peek().endsStep()) {
                at++;
            } else {
                steps.add(step());
            }
        }
        return new FaultScript(steps);
    }

    private Word peek() {
        return at < words.size() ? words.get(at) : new Word("", text.length() + 1);
    }

    private Word next() {
        Word word = peek();
        at++;
        return word;
    }

    private Step step() {
        Action action = action(next());
        Word word = next();
        Matcher numbers = numbers(word);
        long first = Long.parseLong(numbers.group(1));
        long last = numbers.group(2) == null ? first : Long.parseLong(numbers.group(2));
        if (first == 0 || last < first) {
            throw failure(word, "is not a number from 1 on, or a range of such numbers");
        }
        PacketKind kind = kind(next());
        long delayNanos = action == Action.DELAY && !peek().endsStep() ? time(next()) : Step.USUAL_DELAY;
        Word end = next();
        if (!end.endsStep()) {
            throw failure(end, "is not expected after a complete step", "a semicolon");
        }
        return new Step(action, first, last, kind, delayNanos);
    }

    private Action action(Word word) {
        return Arrays.stream(Action.values())
                .filter(action -> action.word().equalsIgnoreCase(word.text()))
                .findFirst()
                .orElseThrow(() -> failure(word, "is not an action", "one of " + ACTIONS));
    }

    private Matcher numbers(Word word) {
        Matcher matcher = NUMBERS.matcher(word.text());
        if (!matcher.matches()) {
            throw failure(word, "is not a number from 1 on, or a range of such numbers");
        }
        return matcher;
    }

    private PacketKind kind(Word word) {
        Optional<PacketKind> kind = Arrays.stream(PacketKind.values())
                .filter(each -> each.name().equals(word.text().toUpperCase(Locale.ROOT)))
                .findFirst();
        return kind.orElseThrow(() -> failure(word, "is not a kind of packet", "one of " + KINDS));
    }

    private long time(Word word) {
        Matcher matcher = TIME.matcher(word.text());
        long nanos = matcher.matches() ? unit(matcher.group(2)).toNanos(Long.parseLong(matcher.group(1))) : -1;
        if (nanos < 0 || nanos > LONGEST_NANOS) {
            throw failure(
                    word,
                    "is not a duration of at most one minute",
                    "a duration such as 500us, 5ms or 2s, or leave it out");
        }
        return nanos;
    }

    private static TimeUnit unit(String word) {
        return switch (word) {
            case "us" -> TimeUnit.MICROSECONDS;
            case "ms" -> TimeUnit.MILLISECONDS;
            default -> TimeUnit.SECONDS;
        };
    }

    private RdmaConfigurationException failure(Word word, String problem) {
        return failure(word, problem, "the number of the packet of its kind, such as 3, or a range such as 3-5");
    }

    private RdmaConfigurationException failure(Word word, String problem, String allowed) {
        String what = word.text().isEmpty() ? "the script ends too early" : "\"" + word.text() + "\" " + problem;
        return new RdmaConfigurationException(
                setting,
                text,
                "at character " + word.position() + " " + what,
                "Use " + allowed + ". An example of a complete script: drop 3 ACK; delay 2 SEND 5ms");
    }
}
