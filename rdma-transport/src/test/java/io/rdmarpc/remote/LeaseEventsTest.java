package io.rdmarpc.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.async.LocalRegion;
import io.rdmarpc.events.FlightRecording;
import io.rdmarpc.remote.lease.RemoteRight;
import java.time.Duration;
import java.util.List;
import jdk.jfr.consumer.RecordedEvent;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("An owner of memory records its leases for the Flight Recorder")
@Timeout(120)
class LeaseEventsTest extends RemoteMemoryFixture {

    LeaseEventsTest() {
        super(SoftRemoteMemoryTest.Network.SHARED_MEMORY);
    }

    private List<RecordedEvent> changes(FlightRecording recording, int number) {
        Memories.await(number + " events", () -> recording.events().size() >= number);
        return recording.events();
    }

    @Test
    void whenARegionIsAllocatedAndFreedThenBothAreRecorded() {
        try (FlightRecording recording = FlightRecording.of("Lease")) {
            peer.allocate(4096, RemoteRight.ALL, LONG).close();

            List<RecordedEvent> changes = changes(recording, 2);
            assertThat(changes).extracting(each -> each.getString("change")).containsExactly("allocated", "freed");
            assertThat(changes).allSatisfy(each -> {
                assertThat(each.getLong("region")).isEqualTo(changes.getFirst().getLong("region"));
                assertThat(each.getLong("size")).isEqualTo(4096);
                assertThat(each.getString("peer")).isEqualTo("127.0.0.1");
            });
        }
    }

    @Test
    void whenAGrantIsNeverOpenedThenItsEndIsRecorded() {
        try (FlightRecording recording = FlightRecording.of("Lease");
                LocalRegion memory = owner.allocateLocal(64)) {
            var _ = owner.grant(memory.slice(), RemoteRight.ALL, Duration.ofMillis(1));

            assertThat(changes(recording, 1)).singleElement().satisfies(end -> {
                assertThat(end.getString("change")).isEqualTo("expired");
                assertThat(end.getLong("region")).isZero();
                assertThat(end.getString("peer")).isEmpty();
            });
        }
    }
}
