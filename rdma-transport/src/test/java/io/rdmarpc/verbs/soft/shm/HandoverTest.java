package io.rdmarpc.verbs.soft.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdmarpc.verbs.ffi.LibC;
import io.rdmarpc.verbs.ffi.NativeAccess;
import io.rdmarpc.verbs.soft.ffi.Bell;
import io.rdmarpc.verbs.soft.ffi.DescriptorSocket;
import io.rdmarpc.verbs.soft.ffi.Epoll;
import io.rdmarpc.verbs.soft.ffi.LibSocket;
import io.rdmarpc.verbs.soft.ffi.MemFd;
import io.rdmarpc.verbs.soft.link.PeerMemory;
import io.rdmarpc.verbs.soft.shm.budget.HostLinkCounters;
import io.rdmarpc.verbs.soft.shm.budget.PageBudget;
import io.rdmarpc.verbs.soft.shm.layout.KeyTable;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Memory passed from one inbox to another. */
class HandoverTest {

    private static final String ONE = "0123456789abcdef-fedcba9876543210";
    private static final String OTHER = "00000000000000aa-00000000000000bb";

    private static final int TICKET = 0x1234;

    private final HostLinkCounters counters = new HostLinkCounters();
    private final PeerPages pages = new PeerPages();
    private final Handover.Peers peers = inbox -> inbox.equals(ONE) ? pages : null;
    private SharedDirectory directory;
    private Handover from;
    private Handover to;

    @BeforeEach
    void open() throws IOException {
        assumeTrue(NativeAccess.isGranted(), "memory is passed with native access");
        directory = SharedDirectory.create();
        Files.createDirectory(directory.path().resolve(ONE));
        from = Handover.open(directory.path().resolve(ONE), ONE, counters);
        to = Handover.open(directory.path(), OTHER, counters);
    }

    @AfterEach
    void close() throws IOException {
        if (directory != null) {
            pages.close();
            from.close();
            to.close();
            directory.close();
        }
    }

    private boolean offer(int kind, int number, MemFd memory) {
        return from.offer(directory.path(), kind, number, memory);
    }

    @Test
    void shouldMapTheSameMemory() throws IOException {
        try (MemFd memory = MemFd.create("test", 8192);
                Arena arena = Arena.ofConfined()) {
            assertThat(offer(Handover.PAGES, 7, memory)).isTrue();
            to.take(peers);
            MemorySegment own = memory.map(arena, () -> {});
            MemorySegment mapped = Objects.requireNonNull(pages.pages(7)).memory();
            own.set(ValueLayout.JAVA_LONG, 8184, 42);
            assertThat(mapped.byteSize()).isEqualTo(8192);
            assertThat(mapped.get(ValueLayout.JAVA_LONG, 8184)).isEqualTo(42);
            assertThat(counters.rejectedHandovers()).isZero();
        }
    }

    @Test
    void whenFreedThenIsNoLongerMapped() throws IOException {
        try (MemFd memory = MemFd.create("test", 4096)) {
            offer(Handover.PAGES, 7, memory);
            assertThat(from.notifyFreed(directory.path(), 7)).isTrue();
            to.take(peers);
            assertThat(pages.pages(7)).isNull();
            assertThat(counters.rejectedHandovers()).isZero();
        }
    }

    @Test
    void shouldPassRings() throws IOException {
        try (MemFd memory = MemFd.create("test", 4096)) {
            assertThat(from.offerRing(directory.path(), 77, memory)).isTrue();
            to.take(peers);
            try (Handover.Ring ring = Objects.requireNonNull(to.nextRing())) {
                assertThat(ring.memory().bytes()).isEqualTo(4096);
                assertThat(ring.sender()).isEqualTo(ONE);
                assertThat(ring.ticket()).isEqualTo(77);
                assertThat(ring.process()).as("as reported by the kernel").isEqualTo((int)
                        ProcessHandle.current().pid());
            }
            assertThat(to.nextRing()).isNull();
        }
    }

    @Test
    void shouldBeDrawnAsItIs() throws IOException {
        try (DescriptorSocket plain = DescriptorSocket.bind(directory.path().resolve("plain"));
                MemFd memory = MemFd.create("test", 4096)) {
            Path renamed = directory.path().resolve("renamed");
            Files.createDirectory(renamed);
            Files.move(directory.path().resolve("plain"), renamed.resolve(Handover.FILE));
            from.offer(renamed, Handover.PAGES, 7, memory);
            assertThat(plain.receive()).isTrue();
            assertThat(HexFormat.of().formatHex(plain.message().toArray(ValueLayout.JAVA_BYTE)))
                    .isEqualTo("334e4148" + "02000000" + "07000000" + "00000000" + "efcdab8967452301"
                            + "1032547698badcfe");
            assertThat(plain.takeDescriptor()).isNotNegative();
        }
    }

    @Test
    void whenSizeCouldChangeThenIsNotMapped() throws IOException {
        try (DescriptorSocket sender = DescriptorSocket.bind(directory.path().resolve("sender"));
                MemFd sealed = MemFd.create("test", 4096)) {
            offer(Handover.PAGES, 1, sealed);
            to.take(peers);
            assertThat(pages.pages(1)).isNotNull();
            int unsealed = UnsealedMemory.create();
            sender.message().copyFrom(message(2));
            assertThat(sender.send(directory.path().resolve(Handover.FILE), unsealed))
                    .isTrue();
            to.take(peers);
            assertThat(pages.pages(2)).isNull();
            assertThat(counters.rejectedHandovers()).isEqualTo(1);
        }
    }

    private static MemorySegment message(int number) {
        return message(Handover.PAGES, number);
    }

    private static MemorySegment message(int kind, int number) {
        MemorySegment message = MemorySegment.ofArray(new long[4]);
        message.set(ValueLayout.JAVA_INT_UNALIGNED, 0, Handover.MAGIC);
        message.set(ValueLayout.JAVA_INT_UNALIGNED, 4, kind);
        message.set(ValueLayout.JAVA_INT_UNALIGNED, 8, number);
        message.set(ValueLayout.JAVA_INT_UNALIGNED, 12, TICKET);
        message.set(ValueLayout.JAVA_LONG_UNALIGNED, 16, 0x0123_4567_89ab_cdefL);
        message.set(ValueLayout.JAVA_LONG_UNALIGNED, 24, 0xfedc_ba98_7654_3210L);
        return message;
    }

    /** Stores the passed bells. */
    private static final class Bells implements Handover.Peers {

        private final Map<String, Bell.Ringer> taken = new HashMap<>();

        @Override
        public @Nullable PeerPages pagesOf(String inbox) {
            return null;
        }

        @Override
        public boolean acceptBell(String inbox, int ticket, Bell.Ringer bell) {
            return ticket == TICKET && taken.putIfAbsent(inbox, bell) == null;
        }
    }

    @Test
    void shouldWakeThePeerThatHasPassedItsBell() {
        Bells bells = new Bells();
        try (Bell bell = Bell.open("test");
                Epoll sleep = Epoll.open("test")) {
            sleep.watchEdges(bell.descriptor());
            from.offerBell(directory.path(), TICKET, bell);
            to.take(bells);
            Bell.Ringer taken = Objects.requireNonNull(bells.taken.get(ONE));
            assertThat(taken.ring()).isTrue();
            taken.close();
            sleep.await();
            assertThat(counters.rejectedHandovers()).isZero();
        }
    }

    @Test
    void whenABellExistsOrIsNotNeededThenIsRejected() {
        Bells bells = new Bells();
        try (Bell bell = Bell.open("test")) {
            from.offerBell(directory.path(), TICKET, bell);
            from.offerBell(directory.path(), TICKET, bell);
            to.take(bells);
            assertThat(counters.rejectedHandovers()).isEqualTo(1);
            bells.taken.values().forEach(Bell.Ringer::close);
            from.offerBell(directory.path(), TICKET, bell);
            to.take(peers);
            assertThat(counters.rejectedHandovers()).isEqualTo(2);
        }
    }

    @Test
    void whenADescriptorIsNotABellThenIsRejected() throws IOException {
        int counter = (int) LibC.eventfd(LibC.EFD_NONBLOCK | LibC.EFD_CLOEXEC).value();
        int datagrams = (int) LibSocket.datagramSocket(2).value();
        try (MemFd memory = MemFd.create("test", 4096);
                DescriptorSocket sender = DescriptorSocket.bind(directory.path().resolve("sender"))) {
            sender.message().copyFrom(message(Handover.BELL, 0));
            sender.send(directory.path().resolve(Handover.FILE), memory.descriptor());
            sender.send(directory.path().resolve(Handover.FILE), counter);
            sender.send(directory.path().resolve(Handover.FILE), datagrams);
            sender.send(directory.path().resolve(Handover.FILE), DescriptorSocket.NONE);
            to.take(new Bells());
            assertThat(counters.rejectedHandovers()).isEqualTo(4);
        } finally {
            LibC.close(counter);
            LibC.close(datagrams);
        }
    }

    @Test
    void whenSizeOrNumberOrSenderIsInvalidThenIsRejected() throws IOException {
        try (MemFd memory = MemFd.create("test", 4096);
                MemFd keys = MemFd.create("test", KeyTable.BYTES)) {
            offer(Handover.PAGES, Handover.KEYS, memory);
            offer(Handover.PAGES, 5, memory);
            offer(Handover.PAGES, 5, keys);
            offer(99, 5, memory);
            to.offer(directory.path(), Handover.PAGES, 6, memory);
            to.take(peers);
            assertThat(counters.rejectedHandovers()).isEqualTo(4);
            assertThat(Objects.requireNonNull(pages.pages(5)).memory().byteSize())
                    .isEqualTo(4096);
        }
    }

    @Test
    void whenPagesAreFreedWhileTheyAreViewedThenTheyStayUntilReleased() throws IOException {
        try (MemFd memory = MemFd.create("test", 8192)) {
            offer(Handover.PAGES, 5, memory);
            to.take(peers);
            PeerMemory.Sight sight = Objects.requireNonNull(
                    Objects.requireNonNull(pages.pages(5)).view());
            from.notifyFreed(directory.path(), 5);
            to.take(peers);

            assertThat(pages.pages(5)).isNull();
            MemorySegment seen = sight.memory();
            assertThat(seen.get(ValueLayout.JAVA_LONG, 0)).isZero();
            sight.release();
            assertThat(seen.scope().isAlive()).isFalse();
        }
    }

    /** The kernel reports the process, which has two inboxes here. */
    @Test
    void whenAProcessPassesTooManyPagesThenTheRestIsRejectedUntilSomeAreFreed() throws IOException {
        PeerPages otherPages = new PeerPages();
        Handover.Peers both = inbox -> inbox.equals(ONE) ? pages : otherPages;
        try (MemFd memory = MemFd.create("test", 4096)) {
            for (int number = 1; number <= PageBudget.MAX_MAPPINGS_OF_ONE + 1; number++) {
                Handover sender = number % 2 == 0 ? from : to;
                assertThat(sender.offer(directory.path(), Handover.PAGES, number, memory))
                        .isTrue();
                to.take(both);
            }
            assertThat(counters.rejectedHandovers()).isEqualTo(1);

            from.notifyFreed(directory.path(), 2);
            offer(Handover.PAGES, 5000, memory);
            to.take(both);
            assertThat(pages.pages(5000)).isNotNull();
        } finally {
            otherPages.close();
        }
    }

    @Test
    void whenPagesHaveNoRoomForTheCountOfViewsThenTheyAreNotViewed() throws IOException {
        try (MemFd memory = MemFd.create("test", 4097)) {
            offer(Handover.PAGES, 5, memory);
            to.take(peers);

            assertThat(Objects.requireNonNull(pages.pages(5)).view()).isNull();
        }
    }

    @Test
    void whenMessageHasNoMemoryOrIsInvalidThenIsRejected() throws IOException {
        try (DescriptorSocket sender = DescriptorSocket.bind(directory.path().resolve("sender"))) {
            sender.message().copyFrom(message(2));
            sender.send(directory.path().resolve(Handover.FILE), DescriptorSocket.NONE);
            sender.message().fill((byte) 0x77);
            sender.send(directory.path().resolve(Handover.FILE), DescriptorSocket.NONE);
            to.take(peers);
            assertThat(counters.rejectedHandovers()).isEqualTo(2);
        }
    }

    @Test
    void whenReceiverIsGoneThenOfferFails() throws IOException {
        try (MemFd memory = MemFd.create("test", 4096)) {
            assertThat(from.offer(directory.path().resolve("nowhere"), Handover.PAGES, 1, memory))
                    .isFalse();
        }
    }
}
