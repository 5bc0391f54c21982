package io.rdmarpc.events;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/** A recording of one event of this project, without a threshold. */
public final class FlightRecording implements AutoCloseable {

    private final Recording recording = new Recording();
    private final String name;

    private FlightRecording(String name) {
        this.name = name;
    }

    /** Starts to record the event with this name, without the package. */
    public static FlightRecording of(String event) {
        FlightRecording result = new FlightRecording("io.rdmarpc." + event);
        result.recording.enable(result.name).withoutThreshold();
        result.recording.start();
        return result;
    }

    /** Returns the events up to now, the earliest first. */
    public List<RecordedEvent> events() {
        try {
            Path file = Files.createTempFile("events", ".jfr");
            try {
                recording.dump(file);
                return RecordingFile.readAllEvents(file).stream()
                        .filter(event -> event.getEventType().getName().equals(name))
                        .sorted((a, b) -> a.getStartTime().compareTo(b.getStartTime()))
                        .toList();
            } finally {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        recording.close();
    }
}
