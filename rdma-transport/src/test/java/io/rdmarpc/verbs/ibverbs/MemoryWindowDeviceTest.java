package io.rdmarpc.verbs.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.error.RdmaWorkRequestException;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.mr.MemoryWindow;
import io.rdmarpc.verbs.wr.CompletionOpcode;
import io.rdmarpc.verbs.wr.SendFlags;
import io.rdmarpc.verbs.wr.SendOpcode;
import io.rdmarpc.verbs.wr.SendRequests;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;

/** One end owns the window and binds it; the peer uses its key. */
@Tag("rdma-device")
@EnabledIf(
        value = "io.rdmarpc.verbs.ibverbs.IbverbsDeviceTest#deviceIsThere",
        disabledReason = "there is no RDMA device; config/soft-roce-vm/run makes one")
@Timeout(120)
@DisplayName("A memory window of a device")
class MemoryWindowDeviceTest {

    private static final int READ_AND_WRITE = AccessFlag.REMOTE_READ.bit() | AccessFlag.REMOTE_WRITE.bit();

    private DeviceFixture fixture;
    private ConnectedPair pair;
    private MemoryRegion region;
    private MemoryWindow window;
    private SendRequests owner;

    @BeforeEach
    void open() {
        fixture = new DeviceFixture();
        pair = new ConnectedPair(fixture, QueuePairType.RC);
        region = fixture.register(4096, AccessFlag.LOCAL_WRITE, AccessFlag.MW_BIND);
        window = fixture.domain.allocateMemoryWindow();
        owner = SendRequests.allocate(fixture.arena, 1, 1);
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private int bind(int access) {
        int key = window.nextRkey();
        owner.set(0, 1, SendOpcode.BIND_MW, SendFlags.SIGNALED, 0);
        owner.setBind(0, window, key, region, region.address(), 2048, access);
        assertThat(pair.other.postSend(owner, 0)).isZero();
        pair.awaitSuccess(1);
        assertThat(fixture.completions.opcode(0)).isEqualTo(CompletionOpcode.BIND_MW);
        assertThat(window.rkey()).isEqualTo(key);
        return key;
    }

    private void invalidate(int key) {
        owner.set(0, 2, SendOpcode.LOCAL_INV, SendFlags.SIGNALED, 0);
        owner.setInvalidate(0, key);
        assertThat(pair.other.postSend(owner, 0)).isZero();
        pair.awaitSuccess(1);
        assertThat(fixture.completions.opcode(0)).isEqualTo(CompletionOpcode.LOCAL_INV);
    }

    private String use(int opcode, int key) {
        SendRequests request = pair.request(3, opcode, 64);
        request.setRemote(0, region.address() + 128, key);
        pair.post(request);
        fixture.await(1);
        return pair.status(0);
    }

    @Test
    void shouldGrantAccessUntilItsKeyIsInvalidated() {
        pair.local.segment().fill((byte) 5);
        int key = bind(READ_AND_WRITE);
        assertThat(key).isNotEqualTo(region.rkey());

        assertThat(use(SendOpcode.RDMA_WRITE, key)).isEqualTo("SUCCESS (0)");
        assertThat(MemorySegment.mismatch(region.segment(), 128, 192, pair.local.segment(), 0, 64))
                .isEqualTo(-1);
        region.segment().fill((byte) 6);
        assertThat(use(SendOpcode.RDMA_READ, key)).isEqualTo("SUCCESS (0)");
        assertThat(MemorySegment.mismatch(region.segment(), 128, 192, pair.local.segment(), 0, 64))
                .isEqualTo(-1);

        invalidate(key);
        assertThat(use(SendOpcode.RDMA_READ, key)).isEqualTo("REM_ACCESS_ERR (10)");
    }

    @Test
    void shouldHaveANewKeyAfterEachBind() {
        int first = bind(READ_AND_WRITE);
        invalidate(first);
        int second = bind(READ_AND_WRITE);

        assertThat(second).isNotEqualTo(first);
        assertThat(second >>> 8).isEqualTo(first >>> 8);
        assertThat(use(SendOpcode.RDMA_READ, second)).isEqualTo("SUCCESS (0)");
        assertThat(use(SendOpcode.RDMA_READ, first)).isEqualTo("REM_ACCESS_ERR (10)");
    }

    @Test
    void shouldGrantOnlyTheRightsOfTheBind() {
        int key = bind(AccessFlag.REMOTE_READ.bit());

        assertThat(use(SendOpcode.RDMA_READ, key)).isEqualTo("SUCCESS (0)");
        assertThat(use(SendOpcode.RDMA_WRITE, key)).isEqualTo("REM_ACCESS_ERR (10)");
    }

    @Test
    void shouldBeUnboundByThePeersSendWithInvalidate() {
        int key = bind(READ_AND_WRITE);
        pair.receive(7, 64);
        SendRequests request = pair.request(3, SendOpcode.SEND_WITH_INV, 8);
        request.setInvalidate(0, key);
        pair.post(request);
        pair.awaitSuccess(2);

        // rxe of Linux 6.1 does not set the flag WITH_INV for programs, but the key is invalid.
        assertThat(fixture.completions.opcode(fixture.indexOf(7, 2))).isEqualTo(CompletionOpcode.RECV);
        assertThat(use(SendOpcode.RDMA_READ, key)).isEqualTo("REM_ACCESS_ERR (10)");
    }

    @Test
    void whenTheRegionLacksMwBindThenTheBindFails() {
        owner.set(0, 1, SendOpcode.BIND_MW, SendFlags.SIGNALED, 0);
        owner.setBind(0, window, window.nextRkey(), pair.local, pair.local.address(), 64, READ_AND_WRITE);
        assertThat(pair.other.postSend(owner, 0)).isZero();
        fixture.await(1);

        assertThat(pair.status(0)).isNotEqualTo("SUCCESS (0)");
    }

    @Test
    void shouldRejectABindWithoutARegion() {
        owner.set(0, 1, SendOpcode.BIND_MW, SendFlags.SIGNALED, 0);
        assertThatExceptionOfType(RdmaWorkRequestException.class)
                .isThrownBy(() -> pair.other.postSend(owner, 0))
                .withMessageContaining("call setBind with a window, a region and at least 1 byte");
    }

    /** The kernel waits 50 s for a queue pair that a bound window references. */
    @Test
    @Timeout(30)
    void shouldBeFreedBeforeItsQueuePairAndRegion() {
        bind(READ_AND_WRITE);
        assertThatCode(fixture.domain::close).doesNotThrowAnyException();
        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(window::nextRkey)
                .withMessageContaining("The memory window is closed");
    }
}
