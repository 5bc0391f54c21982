package io.rdmarpc.verbs.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIndexOutOfBoundsException;

import io.rdmarpc.verbs.attributes.PathMtu;
import io.rdmarpc.verbs.attributes.QueuePairCapabilities;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.error.RdmaWorkRequestException;
import io.rdmarpc.verbs.wr.SendFlags;
import io.rdmarpc.verbs.wr.SendOpcode;
import io.rdmarpc.verbs.wr.SendRequests;
import java.lang.foreign.Arena;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("Checks of sends")
class SendRequestChecksTest {

    private static final QueuePairCapabilities GRANTED = new QueuePairCapabilities(16, 16, 2, 2, 64);
    private static final int ALL_OPCODES = 10;

    private final Arena arena = Arena.ofConfined();
    private final SendRequests requests = SendRequests.allocate(arena, 4, 3);

    @AfterEach
    void close() {
        arena.close();
    }

    private static SendRequestChecks checks(QueuePairType type) {
        SendRequestChecks checks = new SendRequestChecks(type, GRANTED);
        checks.port(1 << 20, PathMtu.MTU_1024);
        return checks;
    }

    private void set(int index, int opcode, int flags, int length) {
        requests.set(index, index, opcode, flags, 1);
        requests.setSge(index, 0, 4096, length, 1);
        requests.setNext(index, -1);
    }

    private void assertFine(QueuePairType type) {
        assertThatCode(() -> checks(type).check(requests, 0, QueuePairState.RTS))
                .doesNotThrowAnyException();
    }

    private void assertWrong(QueuePairType type, @Nullable QueuePairState state, int index, String... words) {
        assertThatExceptionOfType(RdmaWorkRequestException.class)
                .isThrownBy(() -> checks(type).check(requests, 0, state))
                .satisfies(e -> assertThat(e.index()).isEqualTo(index))
                .satisfies(e -> assertThat(e).hasMessageContainingAll(words));
        assertThat(requests.badIndex()).isEqualTo(index);
    }

    private void assertWrong(QueuePairType type, String... words) {
        assertWrong(type, QueuePairState.RTS, 0, words);
    }

    @ParameterizedTest
    @CsvSource({"RC, 1111111111", "UC, 1111000110", "UD, 0011000000"})
    void shouldRejectAnOperationThatTheTypeLacks(QueuePairType type, String possible) {
        // From opcode 0: WRITE, WRITE_IMM, SEND, SEND_IMM, READ, CAS, FAA, LOCAL_INV, BIND_MW, SEND_WITH_INV.
        for (int opcode = 0; opcode < ALL_OPCODES; opcode++) {
            set(0, opcode, 0, 8);
            requests.setDatagram(0, 8, 8, 8);
            String expected = possible.substring(opcode, opcode + 1);
            String actual = "1";
            try {
                checks(type).check(requests, 0, QueuePairState.RTS);
            } catch (RdmaWorkRequestException e) {
                // A bind without a region is invalid for another reason.
                actual = e.getMessage().contains("is not possible on a queue pair of type " + type) ? "0" : "1";
            }
            assertThat(actual).as(SendOpcode.name(opcode)).isEqualTo(expected);
        }
        set(0, ALL_OPCODES, 0, 8);
        assertWrong(type, "opcode 10");
        set(0, -1, 0, 8);
        assertWrong(type, "opcode -1");
    }

    @Test
    void shouldRejectAnOperationThatTheProviderLacks() {
        SendRequestChecks checks = new SendRequestChecks(QueuePairType.RC, GRANTED, 1 << SendOpcode.RDMA_READ);
        set(0, SendOpcode.RDMA_WRITE, 0, 8);
        assertThatExceptionOfType(RdmaWorkRequestException.class)
                .isThrownBy(() -> checks.check(requests, 0, QueuePairState.RTS))
                .withMessage("Work request 0 (RDMA_WRITE) is an operation that this device does not support");
        assertThatCode(() -> checks.check(requests, 0, QueuePairState.ERR)).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @EnumSource(
            value = QueuePairState.class,
            names = {"RESET", "INIT", "RTR"})
    void shouldRejectSendsInAWrongState(QueuePairState state) {
        set(0, SendOpcode.SEND, 0, 8);
        assertWrong(QueuePairType.RC, state, 0, "in state " + state, "RTS");
    }

    @ParameterizedTest
    @EnumSource(
            value = QueuePairState.class,
            names = {"RTS", "SQD", "SQE", "ERR"})
    void shouldAcceptSendsInStatesThatFlushOrQueueThem(QueuePairState state) {
        set(0, SendOpcode.SEND, 0, 8);
        assertThatCode(() -> checks(QueuePairType.RC).check(requests, 0, state)).doesNotThrowAnyException();
    }

    @Test
    void shouldRejectSendsToAClosedQueuePair() {
        set(0, SendOpcode.SEND, 0, 8);
        assertWrong(QueuePairType.RC, null, 0, "The queue pair is closed");
    }

    @Test
    void shouldRejectTooManyEntries() {
        set(0, SendOpcode.SEND, 0, 8);
        requests.set(0, 0, SendOpcode.SEND, 0, 2);
        assertFine(QueuePairType.RC);
        requests.set(0, 0, SendOpcode.SEND, 0, 3);
        assertWrong(QueuePairType.RC, "has 3 scatter/gather entries: 0 to 2 are possible");
        requests.set(0, 0, SendOpcode.SEND, 0, -1);
        assertWrong(QueuePairType.RC, "has -1 scatter/gather entries");
    }

    @Test
    void shouldLimitEntriesToThoseOfTheArray() {
        SendRequestChecks wide = new SendRequestChecks(QueuePairType.RC, new QueuePairCapabilities(1, 1, 32, 32, 0));
        set(0, SendOpcode.SEND, 0, 8);
        requests.set(0, 0, SendOpcode.SEND, 0, 4);
        assertThatExceptionOfType(RdmaWorkRequestException.class)
                .isThrownBy(() -> wide.check(requests, 0, QueuePairState.RTS))
                .withMessageContaining("0 to 3 are possible");
    }

    @Test
    void shouldRejectMessagesOverThePortsLimit() {
        set(0, SendOpcode.SEND, 0, 1 << 20);
        assertFine(QueuePairType.RC);
        set(0, SendOpcode.SEND, 0, (1 << 20) + 1);
        assertWrong(QueuePairType.RC, "has 1048577 bytes", "up to 1048576 bytes");
        set(0, SendOpcode.SEND, 0, -1);
        assertWrong(QueuePairType.RC, "has 4294967295 bytes");
        set(0, SendOpcode.SEND, 0, 0);
        assertFine(QueuePairType.RC);
    }

    @Test
    void shouldRejectTooManyInlineBytes() {
        set(0, SendOpcode.SEND, SendFlags.INLINE, 64);
        assertFine(QueuePairType.RC);
        requests.set(0, 0, SendOpcode.SEND, SendFlags.INLINE, 2);
        requests.setSge(0, 1, 0, 1, 0);
        assertWrong(QueuePairType.RC, "is INLINE with 65 bytes", "up to the 64 bytes granted");
        set(0, SendOpcode.RDMA_READ, SendFlags.INLINE, 8);
        assertWrong(QueuePairType.RC, "SEND and RDMA_WRITE can be");
    }

    @Test
    void shouldRejectUnknownFlags() {
        set(0, SendOpcode.SEND, 0x10, 8);
        assertWrong(QueuePairType.RC, "has flags 0x10");
    }

    @Test
    void shouldRejectADatagramOverThePathMtuOrWithoutAHandle() {
        set(0, SendOpcode.SEND, 0, 1024);
        assertWrong(QueuePairType.UD, "has no address handle: call setDatagram");
        requests.setDatagram(0, 8, 8, 8);
        assertFine(QueuePairType.UD);
        set(0, SendOpcode.SEND, 0, 1025);
        assertWrong(QueuePairType.UD, "has 1025 bytes", "path MTU of 1024", "use RC");
    }

    @ParameterizedTest
    @CsvSource({"8, 4096, true", "8, 4100, false", "4, 4096, false", "16, 4096, false", "0, 4096, false"})
    void shouldRejectAnAtomicWithoutEightAlignedBytes(int length, long address, boolean fine) {
        for (int opcode : new int[] {SendOpcode.ATOMIC_CMP_AND_SWP, SendOpcode.ATOMIC_FETCH_AND_ADD}) {
            set(0, opcode, 0, length);
            requests.setFetchAndAdd(0, address, 1, 1);
            if (fine) {
                assertFine(QueuePairType.RC);
            } else {
                assertWrong(QueuePairType.RC, "has " + length + " local bytes", "0x" + Long.toHexString(address));
            }
        }
    }

    @Test
    void shouldCheckTheWholeList() {
        set(0, SendOpcode.SEND, 0, 8);
        set(2, SendOpcode.SEND, 0, 8);
        set(3, SendOpcode.SEND, 0x40, 8);
        requests.setNext(0, 2);
        assertFine(QueuePairType.RC);
        requests.setNext(2, 3);
        assertWrong(QueuePairType.RC, QueuePairState.RTS, 3, "Work request 3 (SEND) has flags 0x40");
    }

    @Test
    void shouldRejectAListWithoutAnEnd() {
        set(0, SendOpcode.SEND, 0, 8);
        set(1, SendOpcode.SEND, 0, 8);
        requests.setNext(0, 1);
        requests.setNext(1, 0);
        assertWrong(QueuePairType.RC, QueuePairState.RTS, 0, "has no end", "more requests than the 4 of its array");
    }

    @ParameterizedTest
    @CsvSource({"-1", "4"})
    void shouldRejectAFirstIndexOutsideOfTheArray(int first) {
        assertThatExceptionOfType(RdmaWorkRequestException.class)
                .isThrownBy(() -> checks(QueuePairType.RC).check(requests, first, QueuePairState.RTS))
                .withMessageContaining("Work request " + first + " is not in the array of 4: use 0 to 3");
    }

    @Test
    @DisplayName("reject writes outside of the array")
    void shouldRejectAnIndexOutsideOfTheArray() {
        assertThatIndexOutOfBoundsException().isThrownBy(() -> requests.set(4, 0, 0, 0, 0));
        assertThatIndexOutOfBoundsException().isThrownBy(() -> requests.setSge(0, 3, 0, 0, 0));
        assertThatIndexOutOfBoundsException().isThrownBy(() -> requests.chain(2, 3));
        assertThatIndexOutOfBoundsException().isThrownBy(() -> requests.setNext(0, 4));
    }
}
