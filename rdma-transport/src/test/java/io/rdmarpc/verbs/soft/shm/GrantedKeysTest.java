package io.rdmarpc.verbs.soft.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdmarpc.verbs.ffi.NativeAccess;
import io.rdmarpc.verbs.soft.ffi.DescriptorSocket;
import io.rdmarpc.verbs.soft.ffi.MemFd;
import io.rdmarpc.verbs.soft.link.LinkAddress;
import io.rdmarpc.verbs.soft.link.PacketLink;
import io.rdmarpc.verbs.soft.link.PeerMemory;
import io.rdmarpc.verbs.soft.link.UdpLink;
import io.rdmarpc.verbs.soft.shm.budget.HostLinkCounters;
import io.rdmarpc.verbs.soft.shm.layout.KeyTable;
import io.rdmarpc.verbs.soft.shm.layout.ShmRingLayout;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Inet4Address;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("The keys granted to a peer")
@Timeout(60)
class GrantedKeysTest {

    private static final Inet4Address LOOPBACK = Inet4Address.ofLiteral("127.0.0.1");
    private static final int LOOPBACK_IP = 0x7F00_0001;
    private static final String SELF = "0123456789abcdef-fedcba9876543210";
    private static final int KEY = 0x8001_0002;
    private static final MemorySegment NOTHING = MemorySegment.ofArray(new byte[KeyTable.BYTES]);

    private final Arena arena = Arena.ofShared();
    private SharedDirectory directory;
    private Handover handover;

    @BeforeEach
    void open() throws IOException {
        assumeTrue(NativeAccess.isGranted(), "memory is passed with native access");
        directory = SharedDirectory.create();
        Path self = Files.createDirectory(directory.path().resolve(SELF));
        handover = Objects.requireNonNull(Handover.open(self, SELF, new HostLinkCounters()));
    }

    @AfterEach
    void close() throws IOException {
        if (directory != null) {
            handover.close();
            directory.close();
        }
        arena.close();
    }

    /** Passes a table to a peer and returns the memory that the peer maps. */
    private MemorySegment giveTo(String peer, GrantedKeys keys) throws IOException {
        Path inbox = Files.createDirectory(directory.path().resolve(peer));
        try (DescriptorSocket socket = DescriptorSocket.bind(inbox.resolve(Handover.FILE))) {
            assertThat(keys.handOver(handover, inbox)).isTrue();
            assertThat(keys.handOver(handover, inbox))
                    .as("a second call does nothing")
                    .isTrue();
            assertThat(socket.receive()).isTrue();
            try (MemFd memory = MemFd.received(socket.takeDescriptor())) {
                assertThat(memory.bytes()).isEqualTo(KeyTable.BYTES);
                return memory.map(arena, () -> {});
            }
        }
    }

    @Test
    @DisplayName("are in a separate table: the peer does not see the keys of other peers")
    void shouldShowAPeerItsOwnKeysOnly() throws IOException {
        try (GrantedKeys ofOne = GrantedKeys.create();
                GrantedKeys ofOther = GrantedKeys.create()) {
            MemorySegment seenByOne = giveTo("one", ofOne);
            MemorySegment seenByOther = giveTo("other", ofOther);
            long grant = ofOne.grant(KEY);

            assertThat(new KeyTable(seenByOne).isValid(KEY, grant)).isTrue();
            assertThat(seenByOther.mismatch(NOTHING)).isEqualTo(-1);

            ofOther.grant(KEY + 1);
            ofOther.revoke(KEY);
            assertThat(new KeyTable(seenByOne).isValid(KEY, grant)).isTrue();
            ofOne.revoke(KEY);
            assertThat(seenByOne.mismatch(NOTHING)).isEqualTo(-1);
        }
    }

    @Test
    @DisplayName("are replaced in place: the grant is valid with the new key only")
    void whenAKeyIsReplacedThenTheGrantIsValidForTheNewOne() throws IOException {
        try (GrantedKeys keys = GrantedKeys.create()) {
            KeyTable seen = new KeyTable(giveTo("peer", keys));
            long grant = keys.grant(KEY);

            keys.renew(KEY, KEY + 1);

            assertThat(seen.isValid(KEY, grant)).isFalse();
            assertThat(seen.isValid(KEY + 1, grant)).isTrue();
            assertThat(keys.has(KEY)).isFalse();
            assertThat(keys.grant(KEY + 1)).isEqualTo(grant);
            keys.renew(KEY, KEY + 2);
            assertThat(keys.has(KEY + 2)).as("a key that was not granted").isFalse();
            keys.revoke(KEY + 1);
            assertThat(seen.isValid(KEY + 1, grant)).isFalse();
        }
    }

    @Test
    @DisplayName("are decided by the owner: a peer that writes to its table changes only its own view")
    void whenAPeerWritesToItsTableThenItAffectsOnlyItself() throws IOException {
        try (GrantedKeys keys = GrantedKeys.create()) {
            MemorySegment seen = giveTo("peer", keys);
            long grant = keys.grant(KEY);
            seen.fill((byte) 0x77);

            assertThat(keys.has(KEY)).isTrue();
            assertThat(keys.has(0x7777_7777)).isFalse();
            assertThat(keys.grant(KEY)).isEqualTo(grant);
            int last = KEY;
            for (int i = 1; i < 1000; i++) {
                last = KEY + i * 0x10_0000;
                assertThat(keys.grant(last)).isNotEqualTo(PeerMemory.NO_GRANT);
            }
            keys.revoke(KEY);
            assertThat(keys.has(KEY)).isFalse();
            assertThat(keys.has(last)).isTrue();
            assertThat(new KeyTable(seen).isValid(KEY, grant)).isFalse();
        }
    }

    @Test
    @DisplayName("are revoked in the peer's table at close, however long the peer keeps it mapped")
    void whenClosedThenNoneIsValid() throws IOException {
        GrantedKeys keys = GrantedKeys.create();
        MemorySegment seen = giveTo("peer", keys);
        keys.grant(KEY);
        keys.grant(-KEY);
        keys.close();
        assertThat(seen.mismatch(NOTHING)).isEqualTo(-1);
    }

    @Test
    @DisplayName("are limited by the table; a key that does not fit is not granted until another has ended")
    void whenThereIsNoRoomThenAKeyIsNotGranted() throws IOException {
        try (GrantedKeys keys = GrantedKeys.create()) {
            SplittableRandom random = new SplittableRandom(11);
            Map<Integer, Long> granted = new HashMap<>();
            int rejected = 0;
            for (int i = 0; i < 3 * KeyTable.ENTRIES; i++) {
                int key = random.nextInt();
                long grant = keys.grant(key);
                if (grant == PeerMemory.NO_GRANT) {
                    rejected++;
                } else {
                    granted.put(key, grant);
                }
                if (i == 255) {
                    assertThat(rejected).as("a few hundred keys always fit").isZero();
                }
            }
            assertThat(granted).hasSizeBetween(KeyTable.ENTRIES * 9 / 10, KeyTable.ENTRIES);
            assertThat(granted.values()).doesNotHaveDuplicates();
            granted.forEach((key, grant) -> assertThat(keys.grant(key)).isEqualTo(grant));
            granted.keySet().forEach(keys::revoke);
            granted.keySet().forEach(key -> assertThat(keys.has(key)).isFalse());
            assertThat(keys.grant(KEY)).isNotEqualTo(PeerMemory.NO_GRANT);
        }
    }

    private record Node(HostLink link, PeerMemory memory) implements AutoCloseable {

        static Node open(SharedDirectory directory) throws IOException {
            HostLink link = directory.around(UdpLink.open(List.of(LOOPBACK), 0), LOOPBACK);
            return new Node(link, Objects.requireNonNull(link.peerMemory()));
        }

        LinkAddress address() {
            return LinkAddress.of(LOOPBACK_IP, link.port());
        }

        void send(LinkAddress to) {
            PacketBuffer packet = new PacketBuffer();
            packet.length(100);
            link.send(0, to, packet);
            link.flush();
        }

        @Override
        public void close() {
            link.close();
        }
    }

    private static void poll(PacketLink link) {
        link.poll(64, (_, _, _, _, _) -> {});
    }

    @Test
    @DisplayName("come with the pages, are valid for one peer only, and are revoked for all peers")
    void shouldGrantEachPeerItsRequestedKeys() throws IOException {
        try (Node owner = Node.open(directory);
                Node one = Node.open(directory);
                Node other = Node.open(directory)) {
            LinkAddress toOwner = owner.address();
            LinkAddress toOne = one.address();
            LinkAddress toOther = other.address();
            one.send(toOwner);
            other.send(owner.address());
            poll(owner.link());
            MemorySegment lent = owner.memory().allocate(arena, 4096);
            int pages = Objects.requireNonNull(owner.memory().place(lent)).pages();

            long grant = owner.memory().grant(toOne, pages, KEY);
            assertThat(grant).isNotEqualTo(PeerMemory.NO_GRANT);
            MemorySegment mapped = Objects.requireNonNull(one.memory().pages(toOwner, pages));
            lent.set(ValueLayout.JAVA_INT, 0, 42);
            assertThat(mapped.get(ValueLayout.JAVA_INT, 0)).isEqualTo(42);
            assertThat(one.memory().isValid(toOwner, KEY, grant)).isTrue();

            LinkAddress fromOther = owner.address();
            assertThat(other.memory().isValid(fromOther, KEY, grant)).isFalse();
            assertThat(other.memory().pin(fromOther, KEY, grant)).isFalse();
            long itsOwn = owner.memory().grant(toOther, pages, KEY);
            assertThat(other.memory().pages(fromOther, pages)).isNotNull();
            assertThat(other.memory().isValid(fromOther, KEY, itsOwn)).isTrue();

            owner.memory().revoke(KEY);
            assertThat(one.memory().isValid(toOwner, KEY, grant)).isFalse();
            assertThat(other.memory().isValid(fromOther, KEY, itsOwn)).isFalse();
        }
    }

    @Test
    @DisplayName("end with the peer's ring, and a running copy stays visible until it ends")
    void whenARingIsAbandonedThenItsGrantsEndAndItsCopyIsAwaited() throws IOException {
        try (Node owner = Node.open(directory);
                Node peer = Node.open(directory)) {
            LinkAddress toOwner = owner.address();
            peer.send(toOwner);
            poll(owner.link());
            MemorySegment lent = owner.memory().allocate(arena, 4096);
            int pages = Objects.requireNonNull(owner.memory().place(lent)).pages();
            long grant = owner.memory().grant(peer.address(), pages, KEY);
            assertThat(peer.memory().pages(toOwner, pages)).isNotNull();
            assertThat(peer.memory().pin(toOwner, KEY, grant)).isTrue();

            MemorySegment ring = Objects.requireNonNull(peer.link().ringTo(toOwner));
            long next = (long) ShmRingLayout.HEADER_BYTES + ShmRingLayout.recordBytes(100);
            ShmRingLayout.LONG.setRelease(ring, next, ShmRingLayout.firstWord(Integer.MAX_VALUE, 0, 0));
            poll(owner.link());
            assertThat(owner.link().counters().brokenRings()).isOne();

            PeerMemory.Copies copies = Objects.requireNonNull(owner.memory().revoke(KEY));
            assertThat(copies.areOver()).isFalse();
            peer.memory().unpin();
            assertThat(copies.areOver()).isTrue();
            assertThat(owner.memory().revoke(KEY)).isNull();
        }
    }

    @Test
    @DisplayName("that a peer has pinned delay only their own revocation")
    void whenAPeerCopiesWithAnotherKeyThenRevocationDoesNotWait() throws IOException {
        try (Node owner = Node.open(directory);
                Node peer = Node.open(directory)) {
            LinkAddress toOwner = owner.address();
            peer.send(toOwner);
            poll(owner.link());
            MemorySegment lent = owner.memory().allocate(arena, 4096);
            int pages = Objects.requireNonNull(owner.memory().place(lent)).pages();
            long grant = owner.memory().grant(peer.address(), pages, KEY);
            assertThat(peer.memory().pages(toOwner, pages)).isNotNull();
            assertThat(peer.memory().pin(toOwner, KEY, grant)).isTrue();

            assertThat(owner.memory().revoke(KEY + 1)).isNull();
            PeerMemory.Copies copies = Objects.requireNonNull(owner.memory().revoke(KEY));
            assertThat(peer.memory().isValid(toOwner, KEY, grant)).isFalse();
            copies.abandon();
            assertThat(copies.areOver()).as("it may continue").isFalse();
            peer.memory().unpin();
            assertThat(copies.areOver()).isTrue();
            assertThat(peer.memory().pin(toOwner, KEY, grant)).isFalse();
        }
    }
}
