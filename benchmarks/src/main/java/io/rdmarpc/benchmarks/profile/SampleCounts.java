package io.rdmarpc.benchmarks.profile;

import io.rdmarpc.benchmarks.table.CsvRow;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingFile;

/** Counts the CPU time samples in a recording, by thread and by method. */
public final class SampleCounts {

    private static final String SAMPLE = "jdk.CPUTimeSample";
    private static final String LOST = "jdk.CPUTimeSamplesLost";

    /** The suffix that the JVM adds to the class name of a lambda. */
    private static final Pattern HIDDEN = Pattern.compile("[./+]0x[0-9a-f]+$");

    private final Map<String, Integer> threads = new HashMap<>();
    private final Map<String, Integer> itself = new HashMap<>();
    private final Map<String, Integer> withCallees = new HashMap<>();
    private int lost;

    /**
     * Counts the samples of a recording.
     *
     * @param recording the file
     * @return the counts
     * @throws IOException if the file cannot be read
     */
    public static SampleCounts of(Path recording) throws IOException {
        SampleCounts counts = new SampleCounts();
        try (RecordingFile file = new RecordingFile(recording)) {
            while (file.hasMoreEvents()) {
                counts.add(file.readEvent());
            }
        }
        return counts;
    }

    private void add(RecordedEvent event) {
        if (event.getEventType().getName().equals(LOST)) {
            lost += (int) event.getLong("lostSamples");
        } else if (event.getEventType().getName().equals(SAMPLE)) {
            RecordedThread thread = event.getThread("eventThread");
            RecordedStackTrace stack = event.getStackTrace();
            add(
                    thread == null ? "unknown" : name(thread),
                    stack == null
                            ? List.of()
                            : stack.getFrames().stream().map(SampleCounts::name).toList());
        }
    }

    /** Returns a thread's name. JVM threads have no Java name, and virtual threads often have none. */
    private static String name(RecordedThread thread) {
        String name = thread.getJavaName() == null ? thread.getOSName() : thread.getJavaName();
        return name == null || name.isEmpty() ? "virtual" : name;
    }

    private static String name(RecordedFrame frame) {
        RecordedMethod method = frame.getMethod();
        String type = HIDDEN.matcher(method.getType().getName()).replaceFirst("");
        return type.substring(type.lastIndexOf('.') + 1) + "." + method.getName();
    }

    /**
     * Adds a sample, whose innermost method comes first. A method that occurs several times in the stack counts once.
     */
    void add(String thread, List<String> stack) {
        threads.merge(thread, 1, Integer::sum);
        String innermost = stack.isEmpty() ? "no Java frame" : stack.getFirst();
        itself.merge(innermost, 1, Integer::sum);
        new HashSet<>(stack.isEmpty() ? List.of(innermost) : stack)
                .forEach(method -> withCallees.merge(method, 1, Integer::sum));
    }

    /**
     * Returns the lines of {@code profile.csv} for a process.
     *
     * @param process the name of the process
     * @return the lines
     */
    public List<CsvRow> rows(String process) {
        List<CsvRow> rows = new ArrayList<>();
        rows.add(ProfileTables.row(process, "lost", "", lost, Double.NaN));
        threads.forEach((name, count) -> rows.add(ProfileTables.row(process, "thread", name, count, Double.NaN)));
        withCallees.forEach((name, count) ->
                rows.add(ProfileTables.row(process, "method", name, itself.getOrDefault(name, 0), (double) count)));
        return rows;
    }
}
