package io.rdmarpc.demo.live.side;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SoftLinkTest {

    @ParameterizedTest
    @CsvSource({
        "soft.addresses, 127.0.0.1",
        "soft.shared-memory.enabled, true",
        "soft.faults.loss, 0.0",
        "soft.faults.seed, 7",
        "soft.faults.delay-duration, 100us"
    })
    void whenNoFaultIsConfiguredThenItIsSharedMemory(String option, String value) {
        assertThat(SoftLink.of(Map.of(option, value), true)).isEqualTo(SoftLink.SHARED_MEMORY);
    }

    @ParameterizedTest
    @CsvSource({
        "soft.faults.loss, 0.01",
        "soft.faults.reorder, 0.01",
        "soft.faults.script, drop 3 ACK",
        "soft.faults.bandwidth, 100Mbit",
        "soft.pcap, packets.pcap",
        "soft.shared-memory.enabled, false"
    })
    void whenPacketsMustBeOnTheWireThenItIsUdp(String option, String value) {
        assertThat(SoftLink.of(Map.of(option, value), true)).isEqualTo(SoftLink.UDP);
    }

    @Test
    void whenTheHostHasNoSharedMemoryThenItIsUdp() {
        assertThat(SoftLink.of(Map.of(), false)).isEqualTo(SoftLink.UDP);
    }
}
