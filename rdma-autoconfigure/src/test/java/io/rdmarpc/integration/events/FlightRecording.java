package io.rdmarpc.integration.events;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.awaitility.Awaitility;

/** A recording of some events of this project. */
final class FlightRecording implements AutoCloseable {

    private static final String PREFIX = "io.rdmarpc.";

    private final Recording recording = new Recording();

    private FlightRecording() {}

    /** Starts to record these events, which are named without the package, without a threshold. */
    static FlightRecording of(String... events) {
        FlightRecording result = new FlightRecording();
        for (String event : events) {
            result.recording.enable(PREFIX + event).withoutThreshold();
        }
        result.recording.start();
        return result;
    }

    /** Disables these events, which every recording enables by default. */
    FlightRecording without(String... events) {
        for (String event : events) {
            recording.disable(PREFIX + event);
        }
        return this;
    }

    /** Starts to record an event as a recording does that sets nothing. */
    static FlightRecording withDefaultThreshold(String event) {
        FlightRecording result = new FlightRecording();
        result.recording.enable(PREFIX + event);
        result.recording.start();
        return result;
    }

    /** Returns the events of this name up to now, the earliest first. */
    List<RecordedEvent> events(String event) {
        try {
            Path file = Files.createTempFile("events", ".jfr");
            try {
                recording.dump(file);
                return read(file, event);
            } finally {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits until there are so many events of this name. */
    List<RecordedEvent> await(int number, String event) {
        Awaitility.await()
                .atMost(30, TimeUnit.SECONDS)
                .until(() -> events(event).size() >= number);
        return events(event);
    }

    static List<RecordedEvent> read(Path file, String event) throws IOException {
        return RecordingFile.readAllEvents(file).stream()
                .filter(each -> each.getEventType().getName().equals(PREFIX + event))
                .sorted(Comparator.comparing(RecordedEvent::getStartTime))
                .toList();
    }

    @Override
    public void close() {
        recording.close();
    }
}
