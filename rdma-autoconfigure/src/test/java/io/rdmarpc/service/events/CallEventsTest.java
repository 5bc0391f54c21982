package io.rdmarpc.service.events;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import jdk.jfr.Recording;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The event of a call")
class CallEventsTest {

    private static final int CALLS = 10_000;

    private static boolean isBegun() {
        return ClientCallEvent.begun() != null || ServerCallEvent.begun() != null;
    }

    @Test
    void whenARecordingEnablesItThenItBegins() {
        try (Recording recording = new Recording()) {
            recording.start();

            assertThat(isBegun()).isTrue();
        }
    }

    @Test
    void whenARecordingDisablesItThenItDoesNotBegin() {
        try (Recording recording = disabled()) {
            recording.start();

            assertThat(isBegun()).isFalse();
        }
    }

    private static Recording disabled() {
        Recording recording = new Recording();
        recording.disable(ClientCallEvent.class);
        recording.disable(ServerCallEvent.class);
        return recording;
    }

    /** The code has begun events before, so that the compiler cannot remove the objects because they never escape. */
    @Test
    void whenNoRecordingEnablesItThenItAllocatesNothing() {
        try (Recording recording = new Recording()) {
            recording.start();
            assertThat(begin()).isTrue();
        }
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        assertThat(begin()).isFalse();

        long before = threads.getCurrentThreadAllocatedBytes();
        boolean begun = begin();
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;

        assertThat(begun).isFalse();
        assertThat(allocated).as("bytes of %d calls", CALLS).isLessThan(CALLS);
    }

    private static boolean begin() {
        boolean begun = false;
        for (int i = 0; i < CALLS; i++) {
            begun |= isBegun();
        }
        return begun;
    }
}
