package io.rdmarpc.benchmarks.profile;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingFile;

/** Where the samples of a recording fell: by thread, and by method. */
final class TopFrames {

    static final String SAMPLE = "jdk.CPUTimeSample";

    private static final String LOST = "jdk.CPUTimeSamplesLost";
    private static final int MOST_ROWS = 30;

    /** What the JVM adds to the name of a lambda's class. */
    private static final Pattern HIDDEN = Pattern.compile("[./+]0x[0-9a-f]+$");

    private final Map<String, Integer> threads = new HashMap<>();
    private final Map<String, Integer> self = new HashMap<>();
    private final Map<String, Integer> within = new HashMap<>();
    private int samples;
    private long lost;

    TopFrames() {}

    static TopFrames of(Path recording) throws IOException {
        TopFrames frames = new TopFrames();
        try (RecordingFile file = new RecordingFile(recording)) {
            while (file.hasMoreEvents()) {
                frames.take(file.readEvent());
            }
        }
        return frames;
    }

    private void take(RecordedEvent event) {
        if (event.getEventType().getName().equals(LOST)) {
            lost += event.getLong("lostSamples");
        } else if (event.getEventType().getName().equals(SAMPLE)) {
            RecordedThread thread = event.getThread("eventThread");
            RecordedStackTrace stack = event.getStackTrace();
            take(thread == null ? "unknown" : name(thread), stack == null ? List.of() : names(stack));
        }
    }

    private static List<String> names(RecordedStackTrace stack) {
        return stack.getFrames().stream().map(TopFrames::name).toList();
    }

    /** The JVM's own threads have no name in Java, and virtual ones often none at all. */
    private static String name(RecordedThread thread) {
        String name = thread.getJavaName() == null ? thread.getOSName() : thread.getJavaName();
        return name == null || name.isEmpty() ? "virtual" : name;
    }

    private static String name(RecordedFrame frame) {
        RecordedMethod method = frame.getMethod();
        String type = HIDDEN.matcher(method.getType().getName()).replaceFirst("");
        return type.substring(type.lastIndexOf('.') + 1) + "." + method.getName();
    }

    /** A sample. The innermost method comes first; a method that calls itself counts once. */
    void take(String thread, List<String> stack) {
        samples++;
        threads.merge(thread, 1, Integer::sum);
        self.merge(stack.isEmpty() ? "no Java frame" : stack.getFirst(), 1, Integer::sum);
        Set<String> each = new LinkedHashSet<>(stack);
        each.forEach(method -> within.merge(method, 1, Integer::sum));
    }

    String markdown() {
        if (samples == 0) {
            return "No samples: they need JDK 25 or newer on Linux.\n";
        }
        return String.format(Locale.ROOT, "%d samples of processor time, %d lost.%n%n", samples, lost)
                + "| thread | share |\n|---|--:|\n"
                + rows(threads, each -> "")
                + "\n| method | itself | with what it calls |\n|---|--:|--:|\n"
                + rows(self, each -> " " + percent(within.getOrDefault(each, 0)) + " |")
                + "\n| method | with what it calls | itself |\n|---|--:|--:|\n"
                + rows(within, each -> " " + percent(self.getOrDefault(each, 0)) + " |");
    }

    private String rows(Map<String, Integer> counts, UnaryOperator<String> more) {
        return most(counts.entrySet()).stream()
                .map(each -> "| " + each.getKey() + " | " + percent(each.getValue()) + " |" + more.apply(each.getKey())
                        + "\n")
                .collect(Collectors.joining());
    }

    private static List<Map.Entry<String, Integer>> most(Collection<Map.Entry<String, Integer>> entries) {
        return entries.stream()
                .sorted(Map.Entry.<String, Integer>comparingByValue(Comparator.reverseOrder())
                        .thenComparing(Map.Entry.comparingByKey()))
                .limit(MOST_ROWS)
                .toList();
    }

    private String percent(int count) {
        return String.format(Locale.ROOT, "%.1f %%", 100.0 * count / samples);
    }
}
