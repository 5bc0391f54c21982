package io.rdmarpc.rpc.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.rpc.engine.server.ServerSession;
import io.rdmarpc.rpc.engine.session.SessionTable;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class SessionTableTest {

    private final EngineRig rig = new EngineRig();
    private final SessionTable<ServerSession> table = new SessionTable<>();

    @AfterEach
    void close() {
        rig.close();
    }

    @Test
    @DisplayName("CP-04 numbers are handed out up to the limit, then none, and again after one was returned")
    void whenTheLimitIsReachedThenThereIsNoNumber() {
        for (int round = 0; round < 3; round++) {
            Set<Integer> numbers = new HashSet<>();
            for (int i = 0; i < SessionTable.MAX_SESSIONS; i++) {
                assertThat(numbers.add(table.reserve())).isTrue();
            }
            assertThat(table.reserve()).isEqualTo(-1);
            assertThat(numbers).doesNotContain(-1);
            numbers.forEach(table::giveBack);
        }
    }

    @Test
    void whenANumberIsReturnedThenItsNextUseDiffers() {
        int first = table.reserve();
        Set<Integer> seen = new HashSet<>();
        for (int generation = 0; generation < 1000; generation++) {
            assertThat(seen.add(first)).as("used once").isTrue();
            table.giveBack(first);
            first = table.reserve();
            assertThat(first & (SessionTable.MAX_SESSIONS - 1)).as("same index").isZero();
        }
    }

    @Test
    void whenGenerationsOverflowThenNumbersStayApart() {
        int last = Integer.MAX_VALUE;
        table.giveBack(last);
        int next = table.reserve();

        assertThat(next).isNegative().isNotEqualTo(-1).isNotEqualTo(last);
    }

    @Test
    void whenASessionIsThereThenOnlyItsFullNumberFindsIt() {
        ServerSession session = rig.server();
        table.put(session);

        assertThat(table.get(session.id)).isSameAs(session);
        assertThat(table.get(session.id + SessionTable.MAX_SESSIONS)).isNull();
        assertThat(table.get(session.id + 1)).isNull();
        assertThat(table.get(-1)).isNull();
        assertThat(table.get(SessionTable.MAX_SESSIONS - 1))
                .as("beyond what was ever used")
                .isNull();
        assertThat(table.all()).containsExactly(session);
        assertThat(table.size()).isOne();

        assertThat(table.remove(session)).isTrue();
        assertThat(table.remove(session)).as("again").isFalse();
        assertThat(table.get(session.id)).isNull();
        assertThat(table.size()).isZero();
    }

    @Test
    void whenManySessionsAreAddedThenTheTableGrows() {
        ServerSession[] sessions =
                IntStream.range(0, 100).mapToObj(i -> rig.server()).toArray(ServerSession[]::new);
        for (ServerSession session : sessions) {
            table.put(session);
        }

        assertThat(table.size()).isEqualTo(100);
        for (ServerSession session : sessions) {
            assertThat(table.get(session.id)).isSameAs(session);
        }
    }

    @Test
    @DisplayName("CP-01 numbers are unique among threads")
    void whenThreadsReserveThenEachNumberIsUnique() throws InterruptedException {
        Set<Integer> numbers = ConcurrentHashMap.newKeySet();
        Thread[] threads = IntStream.range(0, 16)
                .mapToObj(i -> Thread.ofVirtual().start(() -> {
                    for (int n = 0; n < 500; n++) {
                        numbers.add(table.reserve());
                    }
                }))
                .toArray(Thread[]::new);
        for (Thread thread : threads) {
            thread.join();
        }

        assertThat(numbers).hasSize(8000);
    }
}
