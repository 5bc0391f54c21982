package io.rdmarpc.service.client.routing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.error.RdmaContractException;
import io.rdmarpc.rpc.error.RdmaTimeoutException;
import io.rdmarpc.rpc.error.RdmaUnavailableException;
import io.rdmarpc.service.Loopback;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Selection of instances for the calls of a target, while instances are added, removed and fail. */
@Timeout(30)
class BalancedChannelTest {

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final ServiceContract CONTRACT = new ServiceContract("s", List.of(), List.of());

    private final Map<String, Loopback> servers = new HashMap<>();
    private final FakeRegistry registry = new FakeRegistry();
    private BalancedChannel channel;
    private volatile Consumer<String> opening = id -> {};
    private Duration probation = Duration.ofMillis(200);

    /** Returns the instances that the test sets. */
    private static final class FakeRegistry implements RdmaTargetResolver {

        private Consumer<List<RdmaInstance>> listener = instances -> {};
        private List<RdmaInstance> instances = List.of();
        private final AtomicInteger refreshes = new AtomicInteger();

        @Override
        public boolean supports(String address) {
            return true;
        }

        @Override
        public Watch watch(String address, Consumer<List<RdmaInstance>> wanted) {
            listener = wanted;
            wanted.accept(instances);
            return new Watch() {
                @Override
                public void refresh() {
                    refreshes.incrementAndGet();
                }

                @Override
                public void close() {
                    listener = nobody -> {};
                }
            };
        }

        void lists(String... ids) {
            instances = List.of(ids).stream()
                    .map(id -> new RdmaInstance(id, InetSocketAddress.createUnresolved(id, 1), Map.of()))
                    .toList();
            listener.accept(instances);
        }
    }

    private TargetSessions sessions(BalancingPolicy policy) {
        channel = new BalancedChannel(
                "orders",
                "test:orders",
                registry,
                instance -> {
                    opening.accept(instance.id());
                    return servers.computeIfAbsent(instance.id(), _ -> new Loopback());
                },
                new BalancingConfig(policy, Duration.ofMillis(100), probation, 2, Duration.ofSeconds(5)));
        return TargetSessions.of(channel, CONTRACT);
    }

    @AfterEach
    void close() {
        if (channel != null) {
            channel.close();
        }
    }

    @SuppressWarnings("ReferenceEquality")
    private String serverOf(RpcSession session) {
        return servers.entrySet().stream()
                .filter(entry ->
                        entry.getValue().isConnected() && entry.getValue().session(Duration.ZERO) == session)
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse("none");
    }

    private Set<String> called(TargetSessions sessions, int calls) {
        Set<String> names = new HashSet<>();
        for (int i = 0; i < calls; i++) {
            names.add(serverOf(sessions.get(null, SECOND)));
        }
        return names;
    }

    private void awaitCalled(TargetSessions sessions, String... names) {
        Awaitility.await()
                .atMost(10, TimeUnit.SECONDS)
                .until(() -> called(sessions, 20).equals(Set.of(names)));
    }

    @Test
    void whenTheSessionOfOneEngineEndsThenItsInstanceIsNotExcluded() {
        Loopback first = new Loopback();
        Loopback second = new Loopback();
        first.perEngine = List.of(first, second);
        servers.put("a", first);
        registry.lists("a");
        TargetSessions sessions = sessions(BalancingPolicy.ROUND_ROBIN);
        Awaitility.await().until(() -> {
            // Another thread each time, until one uses the second engine.
            Thread.startVirtualThread(() -> sessions.get(null, SECOND)).join();
            return second.verifications.get() > 0;
        });
        RpcSession ended = second.session(Duration.ZERO);
        Awaitility.await().until(() -> holds(sessions, ended));

        second.endSession();
        sessions.failed(ended, new RdmaUnavailableException("the session has ended"));

        assertThat(channel.instances()).extracting(InstanceState::state).containsExactly(InstanceState.State.READY);
    }

    /** Returns whether threads with other ids use the session. */
    private static boolean holds(TargetSessions sessions, RpcSession session) throws InterruptedException {
        AtomicBoolean used = new AtomicBoolean();
        for (int i = 0; i < 8; i++) {
            Thread.startVirtualThread(() -> used.compareAndSet(false, session.equals(sessions.get(null, SECOND))))
                    .join();
        }
        return used.get();
    }

    @Test
    void shouldCallInstancesInTurn() {
        registry.lists("a", "b", "c");
        TargetSessions sessions = sessions(BalancingPolicy.ROUND_ROBIN);
        awaitCalled(sessions, "a", "b", "c");
        Map<String, Integer> counts = new HashMap<>();
        for (int i = 0; i < 30; i++) {
            counts.merge(serverOf(sessions.get(null, SECOND)), 1, Integer::sum);
        }
        assertThat(counts).isEqualTo(Map.of("a", 10, "b", 10, "c", 10));
    }

    @Test
    void whenTheListChangesThenCallsFollowIt() {
        registry.lists("a");
        TargetSessions sessions = sessions(BalancingPolicy.ROUND_ROBIN);
        awaitCalled(sessions, "a");
        registry.lists("a", "b");
        awaitCalled(sessions, "a", "b");
        registry.lists("b");
        awaitCalled(sessions, "b");
        Awaitility.await().until(() -> !servers.get("a").reachable);
    }

    @Test
    void shouldKeepSessionsWithoutCalls() {
        registry.lists("a");
        sessions(BalancingPolicy.ROUND_ROBIN).get(null, SECOND);
        assertThat(servers.get("a").keepsIdle).isTrue();
    }

    @Test
    void whenAnInstanceIsRemovedThenItIsClosedAfterItsCalls() {
        registry.lists("a");
        TargetSessions sessions = sessions(BalancingPolicy.ROUND_ROBIN);
        RpcSession busy = sessions.get(null, SECOND);
        TestCalls.start(servers.get("a"), busy);
        registry.lists("b");
        awaitCalled(sessions, "b");
        Awaitility.await().during(300, TimeUnit.MILLISECONDS).until(() -> servers.get("a").reachable);
        assertThat(channel.instances())
                .extracting(InstanceState::state)
                .containsExactlyInAnyOrder(InstanceState.State.DRAINING, InstanceState.State.READY);
        TestCalls.endAll();
        Awaitility.await().until(() -> !servers.get("a").reachable);
    }

    @Test
    void whenTheListIsEmptyThenConnectedInstancesAreKept() {
        registry.lists("a", "b");
        TargetSessions sessions = sessions(BalancingPolicy.ROUND_ROBIN);
        awaitCalled(sessions, "a", "b");
        registry.lists();
        assertThat(called(sessions, 20)).isEqualTo(Set.of("a", "b"));
    }

    @Test
    void whenAnInstanceIsDownThenItIsSkippedUntilItReturns() {
        servers.put("b", new Loopback());
        servers.get("b").reachable = false;
        registry.lists("a", "b");
        TargetSessions sessions = sessions(BalancingPolicy.ROUND_ROBIN);
        awaitCalled(sessions, "a");
        Awaitility.await()
                .untilAsserted(() -> assertThat(channel.instances())
                        .filteredOn(instance -> instance.id().equals("b"))
                        .singleElement()
                        .satisfies(instance -> {
                            assertThat(instance.state()).isEqualTo(InstanceState.State.CONNECTING);
                            assertThat(instance.lastFailure()).isEqualTo("no server is reachable");
                        }));
        servers.get("b").reachable = true;
        awaitCalled(sessions, "a", "b");
    }

    @Test
    void whenASessionHasJustEndedThenCallsSkipIt() {
        registry.lists("a", "b");
        TargetSessions sessions = sessions(BalancingPolicy.ROUND_ROBIN);
        awaitCalled(sessions, "a", "b");
        servers.get("a").reachable = false;
        servers.get("a").endSession();
        assertThat(called(sessions, 20)).isEqualTo(Set.of("b"));
    }

    @Test
    void whenAnInstanceRejectsCallsThenItIsExcludedForATime() {
        registry.lists("a", "b");
        TargetSessions sessions = sessions(BalancingPolicy.ROUND_ROBIN);
        awaitCalled(sessions, "a", "b");
        RpcSession rejecting = sessions.get(null, SECOND);
        String name = serverOf(rejecting);
        sessions.failed(rejecting, new RdmaUnavailableException("the server is stopping"));
        assertThat(called(sessions, 20)).doesNotContain(name).hasSize(1);
        assertThat(registry.refreshes).hasPositiveValue();
        awaitCalled(sessions, "a", "b");
    }

    @Test
    void whenAnInstanceDoesNotRespondThenItIsExcluded() {
        registry.lists("a", "b");
        TargetSessions sessions = sessions(BalancingPolicy.ROUND_ROBIN);
        awaitCalled(sessions, "a", "b");
        RpcSession stuck = sessions.get(null, SECOND);
        sessions.failed(stuck, new RdmaTimeoutException("no answer"));
        sessions.succeeded(stuck);
        sessions.failed(stuck, new RdmaTimeoutException("no answer"));
        assertThat(called(sessions, 20)).as("not in a row").hasSize(2);
        sessions.failed(stuck, new RdmaTimeoutException("no answer"));
        assertThat(called(sessions, 20)).doesNotContain(serverOf(stuck)).hasSize(1);
    }

    @Test
    void shouldRecordAResponseWithoutALock() throws Exception {
        registry.lists("a");
        TargetSessions sessions = sessions(BalancingPolicy.ROUND_ROBIN);
        RpcSession session = sessions.get(null, SECOND);
        sessions.failed(session, new RdmaTimeoutException("no answer"));
        assertThat(channel.isSuspect()).isTrue();
        CountDownLatch locked = new CountDownLatch(1);
        CountDownLatch free = new CountDownLatch(1);
        opening = id -> {
            locked.countDown();
            awaitQuietly(free);
        };
        // The channel opens the channel of "b" under its lock.
        Thread registryThread = Thread.ofVirtual().start(() -> registry.lists("a", "b"));
        locked.await();
        try {
            CompletableFuture.runAsync(() -> sessions.succeeded(session)).get(10, TimeUnit.SECONDS);
        } finally {
            free.countDown();
            registryThread.join();
        }
        Awaitility.await().untilAsserted(() -> assertThat(channel.isSuspect()).isFalse());
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void whenAllInstancesAreExcludedThenAllAreCalled() {
        probation = Duration.ofMinutes(1);
        registry.lists("a", "b");
        TargetSessions sessions = sessions(BalancingPolicy.ROUND_ROBIN);
        awaitCalled(sessions, "a", "b");
        for (String name : List.of("a", "b")) {
            sessions.failed(servers.get(name).session(Duration.ZERO), new RdmaUnavailableException("stopping"));
        }
        assertThat(called(sessions, 20)).isEqualTo(Set.of("a", "b"));
    }

    @Test
    void whenAnInstanceIsReadmittedThenItIsNotVerifiedAgain() {
        registry.lists("a", "b");
        TargetSessions sessions = sessions(BalancingPolicy.ROUND_ROBIN);
        awaitCalled(sessions, "a", "b");
        RpcSession left = servers.get("a").session(Duration.ZERO);
        sessions.failed(left, new RdmaUnavailableException("the server is stopping"));
        servers.get("a").mute = true;
        assertThat(called(sessions, 20)).isEqualTo(Set.of("b"));
        awaitCalled(sessions, "a", "b");
    }

    @Test
    void whenACallIsRetriedThenItPrefersAnotherInstance() {
        registry.lists("a", "b");
        TargetSessions sessions = sessions(BalancingPolicy.STICKY);
        awaitCalled(sessions, "a", "b");
        RpcSession first = sessions.get("key", SECOND);
        for (int i = 0; i < 20; i++) {
            assertThat(sessions.another(first, "key", SECOND)).isNotSameAs(first);
        }
    }

    @Test
    void whenThereIsOneInstanceThenARetryUsesIt() {
        registry.lists("a");
        TargetSessions sessions = sessions(BalancingPolicy.ROUND_ROBIN);
        RpcSession only = sessions.get(null, SECOND);
        assertThat(sessions.another(only, null, SECOND)).isSameAs(only);
    }

    @Test
    void shouldCallOneInstanceForEqualKeys() {
        registry.lists("a", "b", "c");
        TargetSessions sessions = sessions(BalancingPolicy.STICKY);
        awaitCalled(sessions, "a", "b", "c");
        Map<String, String> owners = new HashMap<>();
        for (int i = 0; i < 100; i++) {
            owners.put("key " + i, serverOf(sessions.get("key " + i, SECOND)));
        }
        assertThat(new HashSet<>(owners.values())).isEqualTo(Set.of("a", "b", "c"));
        owners.forEach(
                (key, owner) -> assertThat(serverOf(sessions.get(key, SECOND))).isEqualTo(owner));
    }

    @Test
    void shouldCallTheInstanceWithTheFewestCalls() {
        registry.lists("a", "b", "c");
        TargetSessions sessions = sessions(BalancingPolicy.LEAST_IN_FLIGHT);
        awaitCalled(sessions, "a", "b", "c");
        TestCalls.start(servers.get("a"), servers.get("a").session(Duration.ZERO));
        TestCalls.start(servers.get("c"), servers.get("c").session(Duration.ZERO));
        assertThat(called(sessions, 20)).isEqualTo(Set.of("b"));
        TestCalls.endAll();
    }

    @Test
    void whenAnInstanceOffersAnotherContractThenItIsNotCalled() {
        servers.put("old", new Loopback());
        servers.get("old").rejectContracts = true;
        registry.lists("old", "new");
        TargetSessions sessions = sessions(BalancingPolicy.ROUND_ROBIN);
        awaitCalled(sessions, "new");
    }

    @Test
    void whenNoInstanceOffersTheContractThenTheCallFailsImmediately() {
        servers.put("old", new Loopback());
        servers.get("old").rejectContracts = true;
        registry.lists("old");
        TargetSessions sessions = sessions(BalancingPolicy.ROUND_ROBIN);
        assertThatExceptionOfType(RdmaContractException.class).isThrownBy(() -> sessions.get(null, 20 * SECOND));
    }

    @Test
    void whenAnInstanceDoesNotVerifyThenCallsUseOthers() {
        servers.put("mute", new Loopback());
        servers.get("mute").mute = true;
        registry.lists("mute", "a");
        TargetSessions sessions = sessions(BalancingPolicy.ROUND_ROBIN);
        for (int i = 0; i < 20; i++) {
            assertThat(serverOf(sessions.get(null, 20 * SECOND))).isEqualTo("a");
            assertThat(sessions.isReady()).isTrue();
        }
        servers.get("mute").mute = false;
        awaitCalled(sessions, "a", "mute");
    }

    @Test
    void shouldNotPreferAnUnverifiedInstanceWithFewCalls() {
        servers.put("mute", new Loopback());
        servers.get("mute").mute = true;
        registry.lists("mute", "a", "b");
        TargetSessions sessions = sessions(BalancingPolicy.LEAST_IN_FLIGHT);
        awaitCalled(sessions, "a", "b");
        servers.get("mute").mute = false;
        awaitCalled(sessions, "a", "b", "mute");
    }

    @Test
    void whenNoInstanceVerifiesThenTheCallEndsAtItsDeadline() {
        servers.put("mute", new Loopback());
        servers.get("mute").mute = true;
        registry.lists("mute");
        TargetSessions sessions = sessions(BalancingPolicy.ROUND_ROBIN);
        assertThatExceptionOfType(RdmaTimeoutException.class)
                .isThrownBy(() -> sessions.get(null, SECOND / 2))
                .withMessageContaining("none of the 1 connected instances of target orders at test:orders");
    }

    @Test
    void shouldVerifyASingleServerWithinTheTimeoutOfTheCall() {
        Loopback mute = new Loopback();
        mute.mute = true;
        TargetSessions sessions = TargetSessions.of(mute, CONTRACT);
        assertThatExceptionOfType(RdmaUnavailableException.class)
                .isThrownBy(() -> sessions.get(null, SECOND / 10))
                .withMessageMatching("the server did not respond within (\\d\\d|100) ms");
    }

    @Test
    void whenACallIsRetriedThenItDoesNotWaitForAnUnverifiedInstance() {
        servers.put("mute", new Loopback());
        servers.get("mute").mute = true;
        registry.lists("mute", "a");
        TargetSessions sessions = sessions(BalancingPolicy.ROUND_ROBIN);
        RpcSession first = sessions.get(null, 20 * SECOND);
        assertThat(sessions.another(first, null, 20 * SECOND)).isSameAs(first);
    }

    @Test
    void whenThereIsNoInstanceThenTheFailureSaysSo() {
        TargetSessions sessions = sessions(BalancingPolicy.ROUND_ROBIN);
        assertThatExceptionOfType(RdmaUnavailableException.class)
                .isThrownBy(() -> sessions.get(null, SECOND / 10))
                .withMessageContaining("target orders at test:orders had no instance within ");
        servers.put("a", new Loopback());
        servers.get("a").reachable = false;
        registry.lists("a");
        assertThatExceptionOfType(RdmaUnavailableException.class)
                .isThrownBy(() -> sessions.get(null, SECOND / 10))
                .withMessageContaining("none of the 1 instances of target orders")
                .withMessageContaining("no server is reachable");
    }

    @Test
    void whenAnInstanceLeavesThenOtherKeysKeepTheirInstances() {
        List<Member> three = new ArrayList<>();
        for (String id : List.of("a", "b", "c")) {
            three.add(new Member(
                    new RdmaInstance(id, InetSocketAddress.createUnresolved(id, 1), Map.of()),
                    new Loopback(),
                    BalancingConfig.DEFAULTS,
                    new BalancedChannel("t", "a", registry, _ -> new Loopback(), BalancingConfig.DEFAULTS)));
        }
        AvailableMembers before = new AvailableMembers(three, true);
        AvailableMembers after = new AvailableMembers(three.subList(0, 2), true);
        int[] shares = new int[3];
        for (int key = 0; key < 10_000; key++) {
            Member owner = before.get(before.ownerOf("key " + key));
            shares[three.indexOf(owner)]++;
            if (three.indexOf(owner) < 2) {
                assertThat(after.get(after.ownerOf("key " + key))).isSameAs(owner);
            }
        }
        assertThat(Arrays.stream(shares).boxed()).allMatch(share -> share > 2500 && share < 4200);
    }
}
