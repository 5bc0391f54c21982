package io.rdmarpc.service.client.routing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.config.RpcConfig;
import io.rdmarpc.rpc.error.RdmaUnavailableException;
import io.rdmarpc.rpc.runtime.EngineInvoker;
import io.rdmarpc.rpc.runtime.PollingConfig;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.service.Loopback;
import io.rdmarpc.transport.NicConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("The sessions of a proxy on several engines")
@Timeout(30)
class SpreadSessionsTest {

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final int HOME = 1;
    private static final int THREADS = 24;

    private final ServiceContract contract = new ServiceContract("stock", List.of(), List.of());
    private final List<Loopback> channels =
            IntStream.range(0, 3).mapToObj(_ -> new Loopback()).toList();
    /** The channels of the engines that are active now. */
    private final List<RpcChannel> active = new CopyOnWriteArrayList<>(channels);

    private final InstanceSessions sessions = spread();

    private InstanceSessions spread() {
        channels.get(HOME).perEngine = active;
        return InstanceSessions.with(channels.get(HOME), contract);
    }

    @AfterEach
    void endCalls() {
        TestCalls.endAll();
    }

    /** Returns the sessions that threads with consecutive ids use now. */
    private Set<RpcSession> used() {
        List<Thread> threads = new ArrayList<>();
        Set<RpcSession> all = Collections.synchronizedSet(Collections.newSetFromMap(new IdentityHashMap<>()));
        for (int i = 0; i < THREADS; i++) {
            threads.add(Thread.startVirtualThread(() -> all.add(sessions.get(null, SECOND))));
        }
        threads.forEach(SpreadSessionsTest::join);
        return new HashSet<>(all);
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private void awaitSpread(int sessionsInUse) {
        Awaitility.await().until(() -> used().size() == sessionsInUse);
    }

    private List<Integer> connects() {
        return channels.stream().map(channel -> channel.connects.get()).toList();
    }

    @Test
    void whenThereIsOneEngineThenThereIsOneSession() {
        assertThat(InstanceSessions.with(new Loopback(), contract)).isInstanceOf(VerifiedSession.class);
    }

    @Test
    void whenNothingIsConnectedThenTheFirstCallConnectsOnlyItsChannel() {
        assertThat(sessions.isReady()).isFalse();

        RpcSession session = sessions.get(null, SECOND);

        assertThat(session).isSameAs(channels.get(HOME).session(Duration.ZERO));
        assertThat(connects()).containsExactly(0, 1, 0);
    }

    @Test
    void whenThreadsCallThenTheOtherSessionsConnectInTheBackground() {
        awaitSpread(3);

        assertThat(connects()).containsExactly(1, 1, 1);
        assertThat(channels)
                .allSatisfy(channel -> assertThat(channel.verifications).hasValue(1));
    }

    @Test
    void shouldKeepAThreadOnItsSession() {
        awaitSpread(3);

        Set<RpcSession> mine = Collections.newSetFromMap(new IdentityHashMap<>());
        for (int i = 0; i < 100; i++) {
            mine.add(sessions.get(null, SECOND));
        }

        assertThat(mine).hasSize(1);
    }

    @Test
    void whenAThreadRunsAnEngineThenItUsesTheSessionOnIt() throws Exception {
        awaitSpread(3);
        NicConfig nic =
                NicConfig.DEFAULTS.withProvider("soft", Map.of("soft.addresses", "127.0.0.1", "soft.port", "0"));
        try (RdmaRuntime runtime =
                RdmaRuntime.open(nic, RpcConfig.DEFAULTS, PollingConfig.DEFAULTS.withThreads(channels.size()))) {
            for (int engine = 0; engine < channels.size(); engine++) {
                try (EngineInvoker invoker = runtime.invoker(engine, Duration.ofSeconds(10))) {
                    invoker.invoke();
                    assertThat(sessions.get(null, SECOND))
                            .isSameAs(channels.get(engine).session(Duration.ZERO));
                }
            }
        }
    }

    @Test
    void whenTheNumberOfEnginesChangesThenThreadsUseThoseThatAreActive() {
        awaitSpread(3);

        active.removeLast();
        assertThat(used()).hasSize(2);
        active.removeFirst();
        assertThat(used()).containsExactly(channels.get(HOME).session(Duration.ZERO));
        active.add(channels.get(2));
        assertThat(used()).hasSize(2);
        assertThat(connects()).as("no session was opened twice").containsExactly(1, 1, 1);
    }

    @Test
    void whenOneCannotConnectThenItsThreadsUseAnother() {
        channels.get(2).reachable = false;

        awaitSpread(2);

        assertThat(used()).hasSize(2);
    }

    @Test
    void whenOneIsRejectedThenItsThreadsUseAnother() {
        channels.get(0).rejectContracts = true;

        awaitSpread(2);

        assertThat(channels.get(0).verifications).hasValue(1);
        assertThat(sessions.rejection()).isNull();
    }

    @Test
    void whenTheChannelsOwnSessionEndsThenTheOthersContinue() {
        awaitSpread(3);
        channels.get(HOME).reachable = false;
        channels.get(HOME).endSession();

        assertThat(sessions.isReady()).isTrue();
        assertThat(used()).hasSize(2);
    }

    @Test
    void whenAnEndedSessionIsReachableAgainThenItIsUsedAgain() {
        awaitSpread(3);
        channels.get(0).endSession();

        awaitSpread(3);

        assertThat(connects()).containsExactly(2, 1, 1);
    }

    @Test
    void whenTheServerIsUnreachableThenTheCallReportsTheReason() {
        channels.forEach(channel -> channel.reachable = false);

        assertThatExceptionOfType(RdmaUnavailableException.class)
                .isThrownBy(() -> sessions.get(null, SECOND))
                .withMessage("no server is reachable");
    }

    @Test
    void shouldHoldEachOfItsSessions() {
        awaitSpread(3);

        assertThat(used().stream().allMatch(sessions::holds)).isTrue();
        assertThat(sessions.holds(new Loopback().session(Duration.ZERO))).isFalse();
    }

    @Test
    void shouldSumTheCallsInFlight() {
        awaitSpread(3);
        for (Loopback channel : channels) {
            TestCalls.start(channel, channel.session(Duration.ZERO));
        }

        assertThat(sessions.callsInFlight()).isEqualTo(3);
    }

    @Test
    void whenNoSessionIsReadyThenItHasTheMostCalls() {
        assertThat(sessions.callsInFlight()).isEqualTo(Integer.MAX_VALUE);
    }
}
