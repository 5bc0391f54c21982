package io.rdmarpc.verbs.soft.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PacketBufferTest {

    private static final int OFFSET = 24;

    private final MemorySegment source = Arena.ofAuto().allocate(OFFSET + PacketBuffer.CAPACITY, 8);
    private final PacketBuffer packet = PacketBuffer.withoutIcrc();

    private void fillSource(int seed) {
        for (int i = 0; i < PacketBuffer.CAPACITY; i++) {
            source.set(ValueLayout.JAVA_BYTE, OFFSET + i, (byte) (i * 31 + seed));
        }
    }

    private boolean isFilled(MemorySegment memory, long at, int from, int to, int seed) {
        return IntStream.range(from, to)
                .allMatch(i -> memory.get(ValueLayout.JAVA_BYTE, at + i) == (byte) (i * 31 + seed));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 16, 55, 56, 57, 1000, PacketBuffer.CAPACITY})
    void shouldShowAPacketThatIsElsewhere(int length) {
        fillSource(1);
        packet.show(source, OFFSET, length);
        assertThat(packet.length()).isEqualTo(length);
        assertThat(isFilled(packet.memory(), 0, 0, Math.min(56, length), 1)).isTrue();
        assertThat(isFilled(packet.payload(), packet.payloadAt(0), 0, length, 1))
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 56, 57, 1000, PacketBuffer.CAPACITY})
    void whenMadeWholeThenThePacketIsCopied(int length) {
        fillSource(1);
        packet.show(source, OFFSET, length);
        packet.makeWhole();
        source.fill((byte) 0);
        packet.makeWhole();
        assertThat(isFilled(packet.memory(), 0, 0, length, 1)).isTrue();
        assertThat(isFilled(packet.payload(), packet.payloadAt(0), 0, length, 1))
                .isTrue();
    }

    @Test
    void whenItsSenderChangesItThenCopiedHeadersStayUnchanged() {
        fillSource(1);
        packet.show(source, OFFSET, 100);
        fillSource(2);
        packet.makeWhole();
        assertThat(isFilled(packet.memory(), 0, 0, 56, 1)).isTrue();
    }

    @Test
    void shouldCopyAPacketThatIsElsewhere() {
        fillSource(1);
        packet.show(source, OFFSET, 1000);
        PacketBuffer copy = new PacketBuffer();
        copy.copyFrom(packet);
        assertThat(copy.length()).isEqualTo(1000);
        assertThat(isFilled(copy.memory(), 0, 0, 1000, 1)).isTrue();
        assertThat(isFilled(copy.payload(), copy.payloadAt(0), 0, 1000, 1)).isTrue();
    }
}
