package io.rdmarpc.rpc.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.concurrent.LoopOwnership;
import io.rdmarpc.concurrent.Uninterrupted;
import io.rdmarpc.rpc.RpcCall;
import io.rdmarpc.rpc.engine.client.ClientSession;
import io.rdmarpc.rpc.engine.context.Expect;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RpcStatus;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * The polling thread has yielded to a caller. The tests check whether it is woken when that caller releases the loop.
 */
@DisplayName("A caller that releases the loop")
class BlockedCallersTest {

    private static final int LARGE = 10_000;
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final long MINUTE = Duration.ofMinutes(1).toNanos();

    private final EngineRig rig = new EngineRig();
    private final ClientSession session = rig.client();
    private final CountDownLatch ended = new CountDownLatch(1);
    private @Nullable Thread pollingThread;

    /** It stays in the yielded state until the test has ended. */
    @BeforeEach
    void thePollingThreadYields() throws InterruptedException {
        LoopOwnership ownership = rig.loop.ownership();
        CountDownLatch yielded = new CountDownLatch(1);
        assertThat(ownership.tryAcquire()).isTrue();
        pollingThread = Thread.ofPlatform()
                .daemon()
                .unstarted(() -> ownership.yieldOwnership(() -> {
                    yielded.countDown();
                    boolean _ = Uninterrupted.await(LONG, nanos -> ended.await(nanos, TimeUnit.NANOSECONDS));
                    return false;
                }));
        pollingThread.start();
        yielded.await();
        ownership.release();
    }

    @AfterEach
    void close() throws InterruptedException {
        ended.countDown();
        Expect.present(pollingThread).join();
        rig.close();
    }

    /** Returns whether the polling thread is woken by a caller that owned the loop without running it. */
    private boolean wakesOnRelease() {
        BlockedCallers callers = rig.loop.callers();
        boolean owns = callers.enter();
        int before = rig.wakeUps;
        callers.cancel(owns);
        return rig.wakeUps > before;
    }

    private TestCall call() {
        TestCall call = rig.call(session, EngineRig.bytes(11));
        rig.runLoop();
        return call;
    }

    @Test
    void whenNoCallIsInProgressThenNoThreadIsWoken() {
        assertThat(wakesOnRelease()).isFalse();
    }

    @Test
    void whenAnotherCallIsInProgressThenThePollingThreadIsWoken() {
        TestCall call = call();
        assertThat(wakesOnRelease()).isTrue();

        rig.receive(Packet.response(session, rig.onlySent().index(), EngineRig.bytes(3)));
        assertThat(call.response()).hasSize(3);
        assertThat(wakesOnRelease()).isFalse();
    }

    /**
     * Returns a call whose caller waits and whose response arrives in its first duty cycle, so that the maintenance
     * phase of that cycle is deferred.
     */
    private RpcCall callThatHasEnded() {
        RpcCall call = session.prepareCall(RpcCall.End.NONE);
        EngineRig.filled(call.request(8), EngineRig.bytes(8));
        rig.whenTheClockIsRead(() -> rig.whenTheClockIsRead(() -> rig.nic.receive(
                Packet.response(session, rig.onlySent().index(), EngineRig.bytes(3))
                        .bytes(),
                EngineRig.PEER_QPN,
                EngineRig.PEER_GID)));
        assertThat(call.call(EngineRig.ECHO, MINUTE).length()).isEqualTo(3);
        return call;
    }

    @Test
    void whenItCancelsItsCallBeforeItRunsTheLoopThenThePollingThreadIsWoken() {
        RpcCall call = callThatHasEnded();
        EngineRig.filled(call.request(8), EngineRig.bytes(8));
        int before = rig.wakeUps;
        Thread.currentThread().interrupt();

        assertThatExceptionOfType(RdmaRpcException.class).isThrownBy(() -> call.call(EngineRig.ECHO, MINUTE));
        assertThat(Thread.interrupted()).isTrue();
        assertThat(rig.wakeUps).isGreaterThan(before);
        call.close();
    }

    @Test
    void whenCallsHaveFailedThenNoThreadIsWokenForThem() {
        TestCall cancelled = call();
        TestCall late = rig.call(session, EngineRig.bytes(11), Duration.ofMillis(5));
        session.cancel(cancelled);
        rig.pass(Duration.ofMillis(10));

        assertThat(late.ends() + cancelled.ends()).isEqualTo(2);
        assertThat(wakesOnRelease()).isFalse();
    }

    @Test
    void whenAStreamIsOpenThenThePollingThreadIsWoken() {
        TestStream receiver = new TestStream();
        receiver.stream = session.openStream(7, 4, Duration.ofMinutes(1).toNanos(), receiver);
        rig.runLoop();
        assertThat(wakesOnRelease()).isTrue();

        long index = rig.onlySent().index();
        rig.receive(Packet.failure(session, index, RpcStatus.NOT_FOUND, "", "no such method"));
        assertThat(receiver.hasFailed()).isTrue();
        assertThat(wakesOnRelease()).isFalse();
    }

    @Test
    void whenAReadOfACancelledCallIsAtTheNicThenThePollingThreadIsWoken() {
        rig.connect(session);
        TestCall call = call();
        rig.receive(Packet.largeResponse(session, rig.onlySent().index(), LARGE, 0x1000, 7));
        session.cancel(call);
        rig.runLoop();
        assertThat(call.failure().status()).isEqualTo(RpcStatus.CANCELLED);

        assertThat(wakesOnRelease()).isTrue();
        rig.onlyRead().complete(EngineRig.bytes(LARGE), 0x1000);
        rig.runLoop();
        assertThat(wakesOnRelease()).isFalse();
    }
}
