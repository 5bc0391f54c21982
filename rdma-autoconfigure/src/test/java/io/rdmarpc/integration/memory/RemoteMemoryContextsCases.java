package io.rdmarpc.integration.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.async.LocalRegion;
import io.rdmarpc.async.LocalSlice;
import io.rdmarpc.remote.RemoteMemory;
import io.rdmarpc.remote.RemoteRegion;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException;
import io.rdmarpc.remote.lease.RegionGrant;
import io.rdmarpc.remote.lease.RemoteRight;
import io.rdmarpc.service.memory.ReactiveRemoteMemoryTemplate;
import io.rdmarpc.service.memory.RemoteMemoryTemplate;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.util.unit.DataSize;

/** What remote memory does between two Spring contexts, in any format of arguments. */
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class RemoteMemoryContextsCases {

    private static final Duration LEASE = Duration.ofMinutes(5);
    private static final Set<RemoteRight> ALL = RemoteRight.ALL;
    private static final DataSize SIZE = DataSize.ofKilobytes(64);

    private final String format;

    private ConfigurableApplicationContext server;
    private ConfigurableApplicationContext client;
    private RemoteMemoryTemplate memory;
    private ReactiveRemoteMemoryTemplate reactive;
    private Blobs blobs;

    RemoteMemoryContextsCases(String format) {
        this.format = format;
    }

    @BeforeAll
    void start() {
        server = MemoryApplication.server("rdma.serialization.format=" + format);
        client = MemoryApplication.client(server, "rdma.serialization.format=" + format);
        memory = client.getBean(RemoteMemoryTemplate.class);
        reactive = client.getBean(ReactiveRemoteMemoryTemplate.class);
        blobs = client.getBean(Blobs.class);
    }

    /** Nothing that a test has used stays lent. */
    @AfterAll
    void stop() {
        if (client != null) {
            client.close();
        }
        if (server != null) {
            RemoteMemory owner = server.getBean(RemoteMemory.class);
            Awaitility.await().until(() -> owner.statistics().lending().regions() == 0);
            server.close();
        }
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    @DisplayName("allocated memory is read, written, counted with and given back")
    void whenMemoryIsAllocatedThenAllOperationsWork() {
        RemoteRegion region = memory.allocate("default", SIZE, LEASE);
        memory.write(region, 10, text("hello"));
        assertThat(memory.read(region, 10, 5)).isEqualTo(text("hello"));
        assertThat(memory.getAndAdd(region, 64, 5)).isZero();
        assertThat(memory.compareAndSwap(region, 64, 5, 7)).isEqualTo(5);
        assertThat(memory.read(region.slice(64, 8), 0, 1)).containsExactly(7);
        try (LocalRegion local = memory.allocateLocal(DataSize.ofKilobytes(1))) {
            local.slice(0, 3).put(text("abc"));
            local.slice(500, 3).put(text("def"));
            List<LocalSlice> apart = List.of(local.slice(0, 3), local.slice(500, 3));
            memory.gather(region, 1000, apart);
            assertThat(memory.read(region, 1000, 6)).isEqualTo(text("abcdef"));
            memory.scatter(region, 1001, List.of(local.slice(100, 2), local.slice(200, 3)));
            assertThat(local.slice(200, 3).toBytes()).isEqualTo(text("def"));
            memory.batch().write(region, 0, local.slice(0, 3)).run();
            memory.read(region, 0, local.slice(300, 3));
            assertThat(local.slice(300, 3).toBytes()).isEqualTo(text("abc"));
        }
        memory.free(region);
        assertThat(region.isUsable()).isFalse();
    }

    @Test
    @DisplayName("the same with futures")
    void whenFuturesAreUsedThenAllOperationsWork() throws Exception {
        CompletableFuture<byte[]> read = memory.allocateAsync("default", SIZE, ALL, LEASE)
                .thenCompose(region -> memory.writeAsync(region, 8, text("later"))
                        .thenCompose(_ -> memory.getAndAddAsync(region, 0, 3))
                        .thenCompose(_ -> memory.compareAndSwapAsync(region, 0, 3, 9))
                        .thenCompose(found -> memory.readAsync(region, found + 5, 5))
                        .thenCompose(bytes -> memory.freeAsync(region).thenApply(_ -> bytes)));
        assertThat(read.get()).isEqualTo(text("later"));
    }

    @Test
    @DisplayName("the same with Reactor: nothing happens before a subscription, and the region goes back at the end")
    void whenMonosAreUsedThenAllOperationsWork() {
        RemoteMemory owner = server.getBean(RemoteMemory.class);
        long freed = owner.statistics().lending().freed();
        long allocated = owner.statistics().lending().allocated();
        var value = reactive.using(
                "default",
                SIZE,
                LEASE,
                region -> reactive.write(region, 16, text("react"))
                        .then(reactive.getAndAdd(region, 0, 4))
                        .then(reactive.compareAndSwap(region, 0, 4, 5))
                        .flatMap(found -> reactive.read(region, found + 12, 5)));
        assertThat(owner.statistics().lending().allocated()).isEqualTo(allocated);
        assertThat(value.block(LEASE)).isEqualTo(text("react"));
        assertThat(owner.statistics().lending().freed()).isEqualTo(freed + 1);
    }

    @Test
    @DisplayName("an argument by reference: its token travels, the service reads the caller's memory")
    void whenATokenIsAnArgumentThenTheServiceReadsTheMemory() {
        int bytes = 1 << 20;
        try (LocalRegion local = memory.allocateLocal(DataSize.ofBytes(bytes))) {
            byte[] content = new byte[bytes];
            Arrays.fill(content, (byte) 3);
            local.slice().put(content);
            RegionGrant grant = memory.grant("default", local.slice(), Set.of(RemoteRight.READ), LEASE);
            assertThat(blobs.sum(grant.token())).isEqualTo(3L * bytes);
            assertThat(grant.ended()).succeedsWithin(LEASE);
            assertThat(memory.memory().statistics().lending().bytes()).isZero();
        }
    }

    @Test
    @DisplayName("a result by reference: its token travels in a record, the caller reads the service's memory")
    void whenATokenIsAResultThenTheCallerReadsTheMemory() {
        Blobs.Lent lent = blobs.lend(300_000, (byte) 7);
        try (RemoteRegion region = memory.open("default", lent.token())) {
            assertThat(region.length()).isEqualTo(300_000);
            assertThat(memory.read(region, 256, 3)).containsExactly(7, 8, 9);
            assertThatExceptionOfType(RdmaRemoteMemoryException.class)
                    .isThrownBy(() -> memory.write(region, 0, new byte[1]))
                    .satisfies(rejection ->
                            assertThat(rejection.reason()).isEqualTo(RdmaRemoteMemoryException.Reason.RIGHTS));
        }
    }

    @Test
    @DisplayName("listeners are told of writes: that of a region of its grants, the other one of the rest")
    void whenAPeerWritesWithANoticeThenTheListenerIsCalled() {
        RemoteRegion elsewhere = memory.allocate("default", DataSize.ofBytes(64), ALL, LEASE);
        try (RemoteRegion board = memory.open("default", blobs.board());
                LocalRegion local = memory.allocateLocal(DataSize.ofBytes(8))) {
            local.slice().writable().set(ValueLayout.JAVA_LONG, 0, 4711);
            memory.writeWithNotify(board, 0, local.slice(), 42);
            memory.writeWithNotify(elsewhere, 0, local.slice(0, 4), 43);
        }
        elsewhere.close();
        assertThat(blobs.written()).contains("board 42: 4711", "elsewhere 43 of 4 bytes");
    }

    @Test
    @DisplayName("a context that is stopped has nothing any more, and one that is started again can allocate")
    void whenAContextIsRestartedThenItAllocatesAgain() {
        RemoteRegion region = memory.allocate("default", SIZE, LEASE);
        client.stop();
        client.start();
        assertThat(region.isUsable()).isFalse();
        try (RemoteRegion again = memory.allocate("default", SIZE, LEASE)) {
            assertThat(memory.read(again, 0, 4)).containsOnly(0);
        }
    }
}
