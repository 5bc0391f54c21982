package io.rdmarpc.integration.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.async.LocalRegion;
import io.rdmarpc.integration.app.ServerProcess;
import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.memory.RdmaBufferStateException;
import io.rdmarpc.remote.RemoteMemoryStatistics;
import io.rdmarpc.remote.RemoteRegion;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException.Reason;
import io.rdmarpc.remote.lease.RemoteRight;
import io.rdmarpc.rpc.error.RdmaRemoteException;
import io.rdmarpc.service.CallOptions;
import io.rdmarpc.service.RdmaSerializationException;
import io.rdmarpc.service.client.MessageBuffers;
import io.rdmarpc.service.memory.RemoteMemoryTemplate;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.util.unit.DataSize;

@Timeout(180)
@DisplayName("Arguments and results by reference, between two JVMs")
@Tag("processes")
class ByReferenceTest {

    private static final Duration LEASE = Duration.ofMinutes(5);
    private static final Set<RemoteRight> READ = Set.of(RemoteRight.READ);

    @Nested
    @DisplayName("over shared memory, with Kryo")
    class SharedMemory extends Cases {

        SharedMemory() {
            super("true", "kryo");
        }
    }

    @Nested
    @DisplayName("over UDP, with JSON")
    class Udp extends Cases {

        Udp() {
            super("false", "json");
        }
    }

    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    abstract static class Cases {

        private final String[] properties;
        private ServerProcess server;
        private ConfigurableApplicationContext client;
        private RemoteMemoryTemplate memory;
        private Frames frames;

        Cases(String sharedMemory, String format) {
            this.properties = new String[] {
                "rdma.soft.shared-memory.enabled=" + sharedMemory,
                "rdma.serialization.format=" + format,
                "rdma.remote-memory.enabled=true",
                "rdma.max-message-size=4MB"
            };
        }

        @BeforeAll
        void start() throws IOException {
            server = ServerProcess.start(FrameApplication.Server.class, properties);
            List<String> all = new ArrayList<>(List.of(properties));
            all.add("rdma.client.timeout=30s");
            client = FrameApplication.client(server.address(), all.toArray(String[]::new));
            memory = client.getBean(RemoteMemoryTemplate.class);
            frames = client.getBean(Frames.class);
        }

        @AfterAll
        void stop() {
            if (client != null) {
                client.close();
            }
            if (server != null) {
                server.close();
            }
        }

        private RemoteMemoryStatistics.Lending lending() {
            return memory.memory().statistics().lending();
        }

        private LocalRegion filled(int bytes, int with) {
            LocalRegion local = memory.allocateLocal(DataSize.ofBytes(bytes));
            local.slice().writable().fill((byte) with);
            return local;
        }

        // Regions.

        @Test
        @DisplayName("an argument far over the largest message: the service reads it, and has no access afterwards")
        void whenARegionIsAnArgumentThenTheServiceReadsIt() {
            int bytes = 24 << 20;
            try (LocalRegion local = filled(bytes, 3);
                    RemoteRegion frame = memory.lend(local.slice(), READ, LEASE)) {
                assertThat(frames.sum(frame)).isEqualTo(3L * bytes);
            }
            assertThat(lending().regions()).isZero();
            assertThat(lending().grants()).isZero();
        }

        @Test
        @DisplayName("the same region goes into several calls, whole and in part; each opens it once")
        void whenARegionIsSentAgainThenItIsOpenedAgain() {
            try (LocalRegion local = filled(10_000, 2);
                    RemoteRegion frame = memory.lend(local.slice(), READ, LEASE)) {
                assertThat(frames.sum(frame)).isEqualTo(20_000);
                assertThat(frames.sum(frame.slice(1_000, 500))).isEqualTo(1_000);
                assertThat(frames.sumOf(new Frames.Shot("four", frame))).isEqualTo(20_004);
            }
        }

        @Test
        @DisplayName("an own segment, registered: what the service writes is in it, nothing is copied here")
        void whenASegmentOfTheUsersIsLentThenTheServiceWritesIntoIt() throws Exception {
            try (Arena arena = Arena.ofShared()) {
                MemorySegment own = arena.allocate(300_000, 64);
                LocalRegion local = memory.register(own);
                try (RemoteRegion frame =
                        memory.lend(local.slice(100_000, 100_000), Set.of(RemoteRight.WRITE), LEASE)) {
                    frames.fill(frame, (byte) 7);
                }
                local.close();
                assertThat(local.released()).succeedsWithin(LEASE);
                assertThat(own.get(ValueLayout.JAVA_BYTE, 99_999)).isZero();
                assertThat(own.get(ValueLayout.JAVA_BYTE, 100_000)).isEqualTo((byte) 7);
                assertThat(own.get(ValueLayout.JAVA_BYTE, 199_999)).isEqualTo((byte) 7);
                assertThat(own.get(ValueLayout.JAVA_BYTE, 200_000)).isZero();
            }
        }

        @Test
        @DisplayName(
                "an own segment goes out from where it is: what is changed in it after it was lent is what arrives")
        void whenASegmentOfTheUsersIsChangedThenTheChangeArrives() {
            try (Arena arena = Arena.ofShared()) {
                MemorySegment own = arena.allocate(1 << 20, 64);
                LocalRegion local = memory.register(own);
                try (RemoteRegion frame = memory.lend(local.slice(), READ, LEASE);
                        RemoteRegion there = memory.allocate("default", DataSize.ofMegabytes(1), LEASE)) {
                    own.fill((byte) 5);
                    assertThat(frames.sum(frame)).isEqualTo(5L << 20);
                    there.write(0, local.slice());
                    assertThat(there.read((1 << 20) - 1, 1)).containsExactly(5);
                }
                local.close();
                assertThat(local.released()).succeedsWithin(LEASE);
            }
        }

        @Test
        @DisplayName("a service that leaves an argument alone costs no registration, and closing ends its grant")
        void whenAnArgumentIsNotUsedThenNothingIsRegistered() {
            long opened = lending().opened();
            try (LocalRegion local = filled(5_000, 1);
                    RemoteRegion frame = memory.lend(local.slice(), READ, LEASE)) {
                frames.ignore(frame);
                assertThat(lending().grants()).isOne();
            }
            assertThat(lending().grants()).isZero();
            assertThat(lending().opened()).isEqualTo(opened);
        }

        @Test
        @DisplayName("a right that the region has not is rejected at the service, in its words")
        void whenARightIsMissingThenTheServiceIsRejected() {
            try (LocalRegion local = filled(4_096, 1);
                    RemoteRegion frame = memory.lend(local.slice(), READ, LEASE)) {
                assertThatExceptionOfType(RdmaRemoteException.class)
                        .isThrownBy(() -> frames.fill(frame, (byte) 1))
                        .withMessageContaining("was lent with [READ], not with WRITE");
            }
        }

        @Test
        @DisplayName(
                "a region that was closed does not go out; one that is borrowed is not passed on; here it is not read")
        void whenARegionCannotBeSentThenThatIsSaid() {
            LocalRegion local = filled(4_096, 1);
            RemoteRegion frame = memory.lend(local.slice(), READ, LEASE);
            assertThatExceptionOfType(RdmaRemoteMemoryException.class)
                    .isThrownBy(() -> frame.read(0, 8))
                    .satisfies(rejection -> assertThat(rejection.reason()).isEqualTo(Reason.RIGHTS));
            frame.close();
            local.close();
            assertThatExceptionOfType(RdmaSerializationException.class)
                    .isThrownBy(() -> frames.sum(frame))
                    .withMessageContaining("it was closed");
            try (RemoteRegion borrowed = memory.allocate("default", DataSize.ofKilobytes(4), LEASE)) {
                assertThatExceptionOfType(RdmaSerializationException.class)
                        .isThrownBy(() -> frames.sum(borrowed))
                        .withMessageContaining("cannot be passed on");
            }
        }

        @Test
        @DisplayName("a result: the caller reads the service's memory, and gives it back, used or not")
        void whenARegionIsAResultThenTheCallerReadsIt() {
            try (RemoteRegion lent = frames.lend(20L << 20, (byte) 7)) {
                assertThat(lent.length()).isEqualTo(20L << 20);
                assertThat(lent.read(256, 3)).containsExactly(7, 8, 9);
                assertThat(lent.slice((20L << 20) - 2, 2).read(0, 2)).containsExactly(5, 6);
                assertThat(lent.remaining()).isBetween(Duration.ofMinutes(1), LEASE);
                assertThatExceptionOfType(RdmaRemoteMemoryException.class)
                        .isThrownBy(() -> lent.write(0, new byte[1]))
                        .satisfies(rejection -> assertThat(rejection.reason()).isEqualTo(Reason.RIGHTS));
            }
            frames.lend(4_096, (byte) 0).close();
            Awaitility.await().until(() -> frames.lent() == 0);
        }

        @Test
        @DisplayName("several in a list of a future")
        void whenRegionsAreInAFutureThenAllAreRead() throws Exception {
            List<RemoteRegion> all = frames.lendLater(8_192, 5).get(30, TimeUnit.SECONDS);
            for (int i = 0; i < all.size(); i++) {
                try (RemoteRegion each = all.get(i)) {
                    assertThat(each.read(0, 1)).containsExactly(i);
                }
            }
            assertThat(all).hasSize(5).noneMatch(RemoteRegion::isUsable);
            Awaitility.await().until(() -> frames.lent() == 0);
        }

        @Test
        @DisplayName("as elements of streams, either way: each is lent and given back by itself")
        void whenRegionsAreStreamedThenEachIsRead() {
            try (LocalRegion local = filled(3_000, 1);
                    RemoteRegion frame = memory.lend(local.slice(), READ, LEASE)) {
                Stream<RemoteRegion> parts = IntStream.range(0, 3).mapToObj(part -> frame.slice(part * 1_000L, 1_000));
                assertThat(frames.sumAll(parts)).isEqualTo(3_000);
            }
            List<Byte> firsts = new ArrayList<>();
            try (Stream<RemoteRegion> lent = frames.lendMany(4_096, 20)) {
                lent.forEach(each -> {
                    try (each) {
                        firsts.add(each.read(0, 1)[0]);
                    }
                });
            }
            assertThat(firsts)
                    .containsExactlyElementsOf(IntStream.range(0, 20)
                            .mapToObj(number -> (byte) number)
                            .toList());
            Awaitility.await().until(() -> frames.lent() == 0);
        }

        @Test
        @DisplayName("in a one-way call: the lease is what ends it")
        void whenNobodyAnswersThenTheArgumentsArriveAllTheSame() {
            long before = frames.kept();
            try (LocalRegion local = filled(500, 2);
                    RemoteRegion frame = memory.lend(local.slice(), READ, LEASE)) {
                frames.keepSum(frame);
                MessageBuffer sent = message(100_000);
                frames.keepTotal(sent);
                assertThat(sent.isOpen()).isFalse();
                Awaitility.await().until(() -> frames.kept() == before + 1_000 + 100_000);
            }
            assertThat(lending().grants()).isZero();
        }

        // Messages.

        private MessageBuffer message(int bytes) {
            MessageBuffer message = MessageBuffers.forArgument(frames, bytes);
            message.segment().asSlice(0, bytes).fill((byte) 1);
            message.length(bytes);
            return message;
        }

        @ParameterizedTest
        @ValueSource(ints = {0, 1, 500, 100_000, 4 << 20})
        @DisplayName("a message buffer goes out as it is, and comes back as it came")
        void whenAMessageBufferIsAnArgumentThenItIsTheMessage(int bytes) {
            assertThat(frames.total(message(bytes))).isEqualTo(bytes);
            assertThat(frames.lengthOf(message(bytes))).isEqualTo(bytes);
            try (MessageBuffer back = frames.echo(message(bytes))) {
                assertThat(back.length()).isEqualTo(bytes);
                assertThat(FrameStore.sum(back.segment())).isEqualTo(bytes);
            }
        }

        @Test
        @DisplayName("metadata goes in front of it")
        void whenThereIsMetadataThenTheMessageIsBehindIt() throws Exception {
            MessageBuffer sent = message(1_000);
            long total = CallOptions.metadata("tenant", "one").call(() -> frames.total(sent));
            assertThat(total).isEqualTo(1_000);
            assertThat(sent.isOpen()).isFalse();
        }

        @Test
        @DisplayName("a result is read where it arrived, until it is closed")
        void whenAMessageBufferIsAResultThenItIsReadInPlace() throws Exception {
            for (int round = 0; round < 300; round++) {
                MessageBuffer result = frames.counting(100_000 + round);
                assertThat(result.length()).isEqualTo(100_000 + round);
                assertThat(result.segment().isReadOnly()).isTrue();
                assertThat(result.segment().get(ValueLayout.JAVA_BYTE, 99_999)).isEqualTo((byte) 99_999);
                result.close();
                assertThatExceptionOfType(RdmaBufferStateException.class).isThrownBy(result::segment);
            }
            try (MessageBuffer later = frames.countingLater(70_000).get(30, TimeUnit.SECONDS)) {
                assertThat(later.length()).isEqualTo(70_000);
            }
        }

        @Test
        @DisplayName("a call takes the buffer over, also when it fails; one that was sent is not sent again")
        void whenACallFailsThenItsBufferIsClosed() {
            MessageBuffer sent = message(10);
            assertThatExceptionOfType(RdmaRemoteException.class)
                    .isThrownBy(() -> frames.none(sent))
                    .withMessageContaining("none of 10");
            assertThat(sent.isOpen()).isFalse();
            assertThatExceptionOfType(RdmaSerializationException.class)
                    .isThrownBy(() -> frames.total(sent))
                    .withMessageContaining("closed or sent");
            assertThatExceptionOfType(RdmaSerializationException.class).isThrownBy(() -> frames.total(null));
        }
    }
}
