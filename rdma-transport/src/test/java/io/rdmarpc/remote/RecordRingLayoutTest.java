package io.rdmarpc.remote;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Records in a ring")
class RecordRingLayoutTest {

    @Test
    @DisplayName("are contiguous and aligned to 8, and start again at 0 near the end")
    void shouldBeContiguousAndAligned() {
        RecordRingLayout layout = new RecordRingLayout(64);
        assertThat(layout.put(5)).isZero();
        assertThat(layout.put(16)).isEqualTo(8);
        assertThat(layout.put(16)).isEqualTo(24);
        assertThat(layout.put(16)).isEqualTo(40);
        assertThat(layout.endOf(9)).isEqualTo(80);
        assertThat(layout.put(9)).isZero();
        assertThat(layout.position()).isEqualTo(80);
        assertThat(layout.put(0)).isEqualTo(16);
    }

    @Test
    @DisplayName("never overlap while at most the capacity is in use")
    void whenAtMostTheCapacityIsUsedThenRecordsDoNotOverlap() {
        long capacity = 1_000;
        RecordRingLayout layout = new RecordRingLayout(capacity);
        Random random = new Random(7);
        ArrayDeque<long[]> used = new ArrayDeque<>();
        long freedPosition = 0;
        for (int i = 0; i < 10_000; i++) {
            long bytes = random.nextLong(RecordRingLayout.maxRecordBytes(capacity) + 1);
            while (layout.endOf(bytes) - freedPosition > capacity) {
                freedPosition = used.remove()[2];
            }
            long place = layout.put(bytes);
            assertThat(place + bytes).isLessThanOrEqualTo(capacity);
            for (long[] other : used) {
                assertThat(place + bytes <= other[0] || other[0] + other[1] <= place || bytes == 0 || other[1] == 0)
                        .as("%d bytes at %d and %d at %d", bytes, place, other[1], other[0])
                        .isTrue();
            }
            used.add(new long[] {place, bytes, layout.position()});
        }
    }

    @Test
    @DisplayName("of maximum length fit while at most a quarter of the ring is not credited")
    void whenAQuarterIsNotCreditedThenTheLongestRecordFits() {
        for (long capacity = 64; capacity < 2_000; capacity += 8) {
            for (long start = 0; start < capacity; start += 8) {
                RecordRingLayout layout = new RecordRingLayout(capacity);
                for (long at = 0; at < start; at += 8) {
                    layout.put(8);
                }
                long position = layout.position();
                long uncredited = RecordRingLayout.maxRecordBytes(capacity);
                assertThat(layout.endOf(RecordRingLayout.maxRecordBytes(capacity)) - (position - uncredited))
                        .isLessThanOrEqualTo(capacity);
            }
        }
    }
}
