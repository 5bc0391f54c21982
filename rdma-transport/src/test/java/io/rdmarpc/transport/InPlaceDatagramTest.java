package io.rdmarpc.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.AddressHandle;
import io.rdmarpc.verbs.mr.MemoryRegion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Two software RNICs of this process, and shared memory between them. Memory that is not lasting uses the longer path.
 */
@DisplayName("Datagrams between peers of a host")
class InPlaceDatagramTest {

    private static final int MTU = 4096;
    private static final int POLLS = 100_000;

    private final NicContext here = open();
    private final NicContext there = open();
    private final UdTransport from = UdTransport.open(here, UdConfig.DEFAULTS);
    private final UdTransport to = UdTransport.open(there, UdConfig.DEFAULTS);
    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory = arena.allocate(MTU + 64);
    private final MemoryRegion lasting = here.protectionDomain().registerLasting(memory, Set.of());
    private final MemoryRegion other = here.protectionDomain().registerMemory(memory, Set.of());
    private final UdEndpoint peer = to.endpoint(there.gid());
    private final AddressHandle way = here.createAddressHandle(here.gid(), peer.gid(), peer.lid());
    private final List<byte[]> received = new ArrayList<>();

    private static NicContext open() {
        return NicContext.open(
                NicConfig.DEFAULTS.withProvider("soft", Map.of("soft.addresses", "127.0.0.1", "soft.port", "0")));
    }

    @AfterEach
    void close() {
        from.close();
        to.close();
        way.close();
        lasting.close();
        other.close();
        here.close();
        there.close();
        arena.close();
    }

    private byte[] fill(int offset, int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, offset, length);
        return bytes;
    }

    private void send(UdEndpoint endpoint, int offset, int length, int lkey) {
        assertThat(from.send(way.handle(), endpoint, memory.address() + offset, length, lkey))
                .isTrue();
        from.flush();
    }

    private void take(int entry, int length, int sourceQpn) {
        assertThat(sourceQpn).isEqualTo(from.endpoint(here.gid()).qpn());
        assertThat(to.cameFrom(entry, here.gid().gid().high(), here.gid().gid().low()))
                .isTrue();
        received.add(to.ringMemory().asSlice(to.payloadOffset(entry), length).toArray(ValueLayout.JAVA_BYTE));
        to.release(entry);
    }

    private void awaitPackets(int count) {
        for (int polls = 0; received.size() < count && polls < POLLS; polls++) {
            int _ = to.poll(this::take);
            to.flush();
        }
        assertThat(received).hasSize(count);
    }

    private void awaitLeft() {
        for (int polls = 0; from.completedSends() < from.lastSend() && polls < POLLS; polls++) {
            int _ = from.pollSends();
        }
        assertThat(from.completedSends()).isEqualTo(from.lastSend());
        assertThat(from.errors()).isZero();
    }

    @ParameterizedTest(name = "{0} bytes, lasting memory {1}")
    @CsvSource({"1, true", "3, true", "32, true", "255, true", "257, true", "4095, true", "4096, true", "33, false"})
    @DisplayName("arrive unchanged, with their source")
    void whenSentThenTheyArrive(int length, boolean lasts) {
        byte[] sent = fill(5, length);
        // The first one creates the shared-memory ring.
        for (int i = 0; i < 3; i++) {
            send(peer, 5, length, lasts ? lasting.lkey() : other.lkey());
        }
        awaitPackets(3);
        awaitLeft();

        assertThat(received).allSatisfy(bytes -> assertThat(bytes).isEqualTo(sent));
    }

    @Test
    @DisplayName("wrap around the receive ring, in order")
    void whenMoreThanTheRingHoldsAreSentThenAllArriveInOrder() {
        int count = 3 * UdConfig.DEFAULTS.receiveDepth();
        for (int i = 0; i < count; i++) {
            memory.set(ValueLayout.JAVA_INT_UNALIGNED, 5, i);
            send(peer, 5, Integer.BYTES, lasting.lkey());
            awaitPackets(i + 1);
            awaitLeft();
        }
        for (int i = 0; i < count; i++) {
            assertThat(MemorySegment.ofArray(received.get(i)).get(ValueLayout.JAVA_INT_UNALIGNED, 0))
                    .isEqualTo(i);
        }
    }

    @ParameterizedTest(name = "key off by {0}, queue pair off by {1}")
    @CsvSource({"1, 0", "0, 1"})
    @DisplayName("with a wrong key or an unknown queue pair are dropped, and the following ones arrive")
    void whenNotForThisQueuePairThenTheyAreDropped(int key, int queuePair) {
        byte[] sent = fill(0, 40);
        send(new UdEndpoint(peer.gid(), peer.lid(), peer.qpn() + queuePair, peer.qkey() ^ key), 0, 40, lasting.lkey());
        send(peer, 0, 40, lasting.lkey());
        awaitPackets(1);

        assertThat(received.getFirst()).isEqualTo(sent);
    }

    @ParameterizedTest(name = "{0} bytes from the start of the memory")
    @ValueSource(ints = {-1, 100})
    @DisplayName("from memory that is not fully registered are not sent, as on the longer path")
    void whenMemoryIsNotRegisteredThenTheSendFails(int offset) {
        // Longer than the inline limit: inline data need not be registered.
        assertThat(from.send(way.handle(), peer, memory.address() + offset, MTU, lasting.lkey()))
                .isTrue();
        from.flush();
        for (int polls = 0; from.errors() == 0 && polls < POLLS; polls++) {
            int _ = from.pollSends();
        }
        assertThat(from.errors()).isEqualTo(1);
        assertThat(to.poll(this::take)).isZero();
    }

    @Test
    @DisplayName("have left when they are posted, without a poll")
    void whenTheyLeaveDuringThePostThenTheirMemoryIsFreeAtOnce() {
        for (int i = 1; i <= 3; i++) {
            send(peer, 0, 32, lasting.lkey());

            assertThat(from.completedSends()).isEqualTo(i);
            assertThat(from.mustPollSends()).isFalse();
        }
        assertThat(from.pollSends()).isZero();
        awaitPackets(3);
    }

    @Test
    @DisplayName("that wait for a slow receiver are complete only when they have left")
    void whenTheRingIsFullThenSendsAreCompleteOnceTheyHaveLeft() {
        while (!from.mustPollSends()) {
            send(peer, 0, MTU, lasting.lkey());
        }
        assertThat(from.completedSends()).isLessThan(from.lastSend());

        for (int polls = 0; from.completedSends() < from.lastSend() && polls < POLLS; polls++) {
            int _ = to.poll(this::take);
            to.flush();
            int _ = from.pollSends();
        }
        awaitLeft();
        assertThat(from.mustPollSends()).isFalse();
    }
}
