package io.rdmarpc.verbs.ibverbs.ffi.struct;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.attributes.AddressHandleAttributes;
import io.rdmarpc.verbs.attributes.AlternatePath;
import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.attributes.PathMigrationState;
import io.rdmarpc.verbs.attributes.PathMtu;
import io.rdmarpc.verbs.attributes.QueuePairAttributes;
import io.rdmarpc.verbs.attributes.QueuePairCapabilities;
import io.rdmarpc.verbs.attributes.QueuePairMask;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.ffi.CStruct;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The attributes of a queue pair in C")
class QpAttrStructTest {

    private static AddressHandleAttributes route(int port) {
        return new AddressHandleAttributes(
                new Gid(0x2001_0DB8L << 32, 0xFFFF_FFFF_FFFF_FFFEL),
                0xFFFE,
                201,
                202,
                203,
                15,
                port,
                0xF_1234,
                100,
                18);
    }

    @Test
    void shouldKeepEveryAttribute() {
        QueuePairAttributes all = new QueuePairAttributes()
                .state(QueuePairState.SQD)
                .currentState(QueuePairState.SQE)
                .notifyWhenDrained(true)
                .accessFlags(0xF)
                .pkeyIndex(0xFFFD)
                .portNumber(250)
                .qkey(0x8765_4321)
                .addressVector(route(251))
                .pathMtu(PathMtu.MTU_2048)
                .timeout(31)
                .retryCount(5)
                .rnrRetry(QueuePairAttributes.RNR_RETRY_INFINITE)
                .receivePsn(0xFF_FFFE)
                .maxReadAtomic(255)
                .alternatePath(new AlternatePath(route(252), 0xFFFC, 30))
                .minRnrTimer(29)
                .sendPsn(0xFF_FFFD)
                .maxDestReadAtomic(254)
                .migrationState(PathMigrationState.ARMED)
                .capabilities(new QueuePairCapabilities(1, 2, 3, 4, 5))
                .destinationQpn(0xFF_FFFC)
                .rateLimitKbps(1_000_000);
        try (Arena arena = Arena.ofConfined()) {
            QueuePairAttributes read = QpAttrStruct.allocate(arena, all).toAttributes();

            assertThat(read).usingRecursiveComparison().isEqualTo(all);
        }
    }

    @Test
    void shouldOmitAttributesThatAreNotSetYet() {
        try (Arena arena = Arena.ofConfined()) {
            QueuePairAttributes read = QpAttrStruct.allocate(arena).toAttributes();

            assertThat(read.state()).isEqualTo(QueuePairState.RESET);
            assertThat(read.has(QueuePairMask.PATH_MTU)).isFalse();
            assertThat(read.has(QueuePairMask.ALT_PATH)).isFalse();
            assertThat(read.alternatePath()).isNull();
        }
    }

    @Test
    @DisplayName("accept unknown codes of drivers")
    void shouldAcceptUnknownCodes() {
        try (Arena arena = Arena.ofConfined()) {
            QpAttrStruct result = QpAttrStruct.allocate(arena);
            result.memory().set(CStruct.U32, CStruct.offset(QpAttrStruct.LAYOUT, "path_mtu"), 8);
            result.memory().set(CStruct.U32, CStruct.offset(QpAttrStruct.LAYOUT, "path_mig_state"), 255);

            QueuePairAttributes read = result.toAttributes();

            assertThat(read.has(QueuePairMask.PATH_MTU)).isFalse();
            assertThat(read.migrationState()).isEqualTo(PathMigrationState.MIGRATED);
        }
    }
}
