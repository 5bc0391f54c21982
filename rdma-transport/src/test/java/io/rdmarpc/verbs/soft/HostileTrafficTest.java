package io.rdmarpc.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdmarpc.TestSeed;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.AddressHandleAttributes;
import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.attributes.QueuePairAttributes;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.ffi.NativeAccess;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.soft.link.LinkAddress;
import io.rdmarpc.verbs.soft.link.PacketLink;
import io.rdmarpc.verbs.soft.link.UdpLink;
import io.rdmarpc.verbs.soft.link.fault.LinkFaults;
import io.rdmarpc.verbs.soft.rnic.DropReason;
import io.rdmarpc.verbs.soft.samehost.MappedWrite;
import io.rdmarpc.verbs.soft.shm.SharedDirectory;
import io.rdmarpc.verbs.soft.wire.Bth;
import io.rdmarpc.verbs.soft.wire.Icrc;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import io.rdmarpc.verbs.wr.CompletionStatus;
import io.rdmarpc.verbs.wr.SendOpcode;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * An unknown host sends hostile packets over each kind of link, most of them with a valid ICRC and to a live queue
 * pair. No exception may leave the loop, no memory except the granted range may change, each kind of drop occurs, and
 * regular traffic continues. More packets: {@code -Drdma.test.packets=10000000}.
 */
@Timeout(7200)
class HostileTrafficTest {

    private static final int PACKETS = Integer.getInteger("rdma.test.packets", 100_000);
    private static final int CHECKS = 10;
    private static final int BURST = 100;
    private static final int BURST_EVERY = 5000;
    private static final int ATTACKER_PORT = 6000;
    private static final int GRANTED = 8192;
    private static final int GUARD = 4096;

    /** A length that is offered to be copied instead of sent. */
    private static final int LARGE = 2 * MappedWrite.SHORTEST_BYTES;

    private static final byte GUARD_BYTE = 0x5A;
    private static final int SHORTEST = Bth.BYTES + Icrc.BYTES;
    private static final HostilePackets.Psns PSNS = new HostilePackets.Psns(1000, 2000);

    /** The first work request identifier of regular traffic. */
    private static final long REGULAR = 1L << 40;

    private static final Set<AccessFlag> EVERYTHING = EnumSet.of(
            AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_ATOMIC);

    private final long seed = TestSeed.next();

    /** Sends the hostile packets to the node. */
    private interface Attacker {

        /** Sends the packet, with a valid ICRC if requested, from the peer of the connections or from another host. */
        void send(PacketBuffer packet, boolean rightIcrc, boolean fromElsewhere) throws IOException;
    }

    /** One run over one link. */
    private static final class Run {

        private final TestNode node;
        private final Attacker attacker;
        private final Runnable time;
        private final SplittableRandom random;
        private final PacketBuffer packet = new PacketBuffer();
        private final HostilePackets packets;
        private final MemorySegment grantedAndGuards;
        private final MemoryRegion granted;
        private final MemoryRegion untouchable;
        private final MemoryRegion written;
        private final QueuePair datagrams;
        private final QueuePair connection;
        private final QueuePair unreliable;
        private final QueuePair notReady;
        private final QueuePair[] live;
        private final RegularPair regular;
        private long rightAndLive;
        private int ended;

        private Run(TestNode node, Attacker attacker, Runnable time, long seed) {
            this.node = node;
            this.attacker = attacker;
            this.time = time;
            this.random = new SplittableRandom(seed);
            this.packets = new HostilePackets(random, packet, PSNS);
            this.grantedAndGuards = node.context
                    .allocateLendable(node.arena, GRANTED + 2L * GUARD)
                    .fill(GUARD_BYTE);
            this.granted = node.domain.registerMemory(grantedAndGuards.asSlice(GUARD, GRANTED), EVERYTHING);
            this.untouchable = Pair.everythingAllowed(node, GRANTED);
            packets.know(granted.address(), granted.rkey(), GRANTED);
            this.written = node.register(LARGE, AccessFlag.LOCAL_WRITE);
            untouchable.segment().fill(GUARD_BYTE);
            this.datagrams = node.datagrams();
            this.connection = node.create(QueuePairType.RC);
            this.unreliable = node.create(QueuePairType.UC);
            this.notReady = node.create(QueuePairType.RC);
            notReady.modify(node.toInit(node.remoteAccess));
            connect();
            connectUnreliable();
            this.live = new QueuePair[] {datagrams, connection, connection, connection, unreliable, notReady};
            this.regular = new RegularPair(node);
        }

        private AddressHandleAttributes routeToAttacker() {
            return AddressHandleAttributes.to(Gid.of(TestNode.LOOPBACK), ATTACKER_PORT, 0, 1);
        }

        private void connect() {
            connection.modify(new QueuePairAttributes().state(QueuePairState.RESET));
            connection.modify(node.toInit(node.remoteAccess));
            connection.modify(node.toRtr(node, 77, PSNS.toNode()).addressVector(routeToAttacker()));
            connection.modify(node.toRts(PSNS.fromNode()));
            node.read(connection, 9, granted, 0, GRANTED, 0, 0);
            node.message(connection, 9, SendOpcode.SEND, granted, 0, GRANTED, TestNode.Remote.NONE);
            node.fetchAndAdd(connection, 9, granted, 0, TestNode.Remote.NONE, 1);
            node.message(connection, 9, SendOpcode.RDMA_WRITE, written, 0, LARGE, TestNode.Remote.NONE);
            if (random.nextInt(4) > 0) {
                node.receive(connection, 8, granted, 0, random.nextInt(GRANTED));
            }
        }

        private void connectUnreliable() {
            unreliable.modify(node.toInit(node.remoteAccess));
            unreliable.modify(new QueuePairAttributes()
                    .state(QueuePairState.RTR)
                    .addressVector(routeToAttacker())
                    .pathMtu(node.mtu)
                    .destinationQpn(77)
                    .receivePsn(PSNS.toNode()));
            unreliable.modify(
                    new QueuePairAttributes().state(QueuePairState.RTS).sendPsn(PSNS.fromNode()));
        }

        private void run() throws IOException {
            for (int i = 0; i < PACKETS; i++) {
                prepare();
                sendOne();
                if (i % BURST_EVERY == 0) {
                    sendBurst();
                }
                if (random.nextInt(8) == 0) {
                    moveOn();
                }
                if ((i + 1) % Math.max(1, PACKETS / CHECKS) == 0) {
                    checkMemory();
                    regular.exchange();
                }
            }
            checkEnd();
        }

        /** Reconnects the queue pairs that failed, sometimes only after more packets. */
        private void prepare() {
            if (random.nextInt(4) == 0 && connection.queryState() == QueuePairState.ERR) {
                ended++;
                connect();
            }
            if (random.nextInt(2) == 0) {
                node.receive(datagrams, 8, granted, 0, random.nextInt(40, 400));
                node.receive(unreliable, 8, granted, 0, random.nextInt(200));
            }
        }

        private void sendOne() throws IOException {
            int kind = random.nextInt(64);
            if (kind == 0) {
                packets.garbage();
                attacker.send(packet, false, false);
            } else if (kind < 4) {
                packets.to(random.nextInt());
                attacker.send(packet, true, false);
            } else {
                packets.to(live[random.nextInt(live.length)].number());
                boolean rightIcrc = kind > 16;
                rightAndLive += rightIcrc && packet.length() >= SHORTEST ? 1 : 0;
                attacker.send(packet, rightIcrc, kind > 61);
            }
        }

        /** Sends more valid READs than a connection accepts at a time. */
        private void sendBurst() throws IOException {
            connect();
            int packetsOfEach = GRANTED / node.mtu.bytes();
            for (int i = 0; i < BURST; i++) {
                packets.read(
                        connection.number(),
                        PSNS.toNode() + i * packetsOfEach,
                        granted.address(),
                        granted.rkey(),
                        GRANTED);
                attacker.send(packet, true, false);
            }
        }

        private void moveOn() {
            time.run();
            TestNode.Completion completion = node.next();
            while (completion != null) {
                assertThat(completion.wrId()).isLessThan(REGULAR);
                completion = node.next();
            }
        }

        private void checkMemory() {
            assertGuard(grantedAndGuards.asSlice(0, GUARD));
            assertGuard(grantedAndGuards.asSlice(GUARD + GRANTED, GUARD));
            assertGuard(untouchable.segment());
        }

        private static void assertGuard(MemorySegment memory) {
            for (long at = 0; at < memory.byteSize(); at++) {
                assertThat(memory.get(ValueLayout.JAVA_BYTE, at)).isEqualTo(GUARD_BYTE);
            }
        }

        private void checkEnd() {
            assertThat(rightAndLive).as("valid ICRC and live queue pair").isGreaterThan(PACKETS / 2);
            assertThat(ended).as("connections that hostile packets have ended").isPositive();
            for (DropReason reason : DropReason.values()) {
                assertThat(node.counters().dropped(reason))
                        .as("%s in %s", reason, node.counters())
                        .isPositive();
            }
            assertThat(unreliable.queryState()).as("is not ended").isEqualTo(QueuePairState.RTS);
            assertThat(datagrams.queryState()).as("is not ended").isEqualTo(QueuePairState.RTS);
        }
    }

    /** A connection and datagrams of regular queue pairs of the node, alongside the attacked ones. */
    private static final class RegularPair {

        private static final int BYTES = 20_000;
        private static final int MANY_ROUNDS = 1_000_000;

        private final TestNode node;
        private final QueuePair one;
        private final QueuePair other;
        private final QueuePair datagrams;
        private final MemoryRegion source;
        private final MemoryRegion target;
        private long count;

        private RegularPair(TestNode node) {
            this.node = node;
            this.one = node.create(QueuePairType.RC);
            this.other = node.create(QueuePairType.RC);
            this.datagrams = node.datagrams();
            this.source = Pair.everythingAllowed(node, BYTES);
            this.target = Pair.everythingAllowed(node, BYTES);
            TestNode.connect(node, one, node, other);
        }

        private void exchange() {
            Pair.fill(source.segment(), ++count);
            node.receive(other, REGULAR, target, 0, BYTES);
            node.message(one, REGULAR + 1, SendOpcode.SEND, source, 0, BYTES, TestNode.Remote.NONE);
            await(2);
            assertThat(target.segment().mismatch(source.segment())).isEqualTo(-1);
            node.receive(datagrams, REGULAR + 2, target, 0, 200);
            node.send(datagrams, REGULAR + 3, source, 100, node.handleTo(node), datagrams.number(), TestNode.QKEY);
            await(2);
        }

        private void await(int completions) {
            int left = completions;
            for (int round = 0; left > 0; round++) {
                assertThat(round).as("regular traffic continues").isLessThan(MANY_ROUNDS);
                TestNode.Completion completion = node.next();
                if (completion != null && completion.wrId() >= REGULAR) {
                    assertThat(completion.status()).isEqualTo(CompletionStatus.SUCCESS);
                    left--;
                }
            }
        }
    }

    @Test
    void shouldSurviveOverALinkInMemory() throws IOException {
        System.out.println("HostileTrafficTest in memory: " + PACKETS + " packets");
        MemoryNetwork network = new MemoryNetwork();
        FakeClock clock = new FakeClock();
        SplittableRandom times = new SplittableRandom(seed);
        Icrc icrc = new Icrc();
        try (TestNode node = TestNode.inMemory(network, 5001, LinkFaults.NONE, clock)) {
            Attacker attacker = (packet, rightIcrc, fromElsewhere) -> {
                int source = TestNode.LOOPBACK_IP + (fromElsewhere ? 1 : 0);
                if (rightIcrc && packet.length() >= SHORTEST) {
                    icrc.write(packet, source, ATTACKER_PORT, TestNode.LOOPBACK_IP, 5001);
                }
                network.inject(5001, source, ATTACKER_PORT, bytesOf(packet));
            };
            new Run(node, attacker, () -> clock.advanceMicros(times.nextInt(100)), seed).run();
        }
    }

    @Test
    void shouldSurviveOverRealSockets() throws IOException {
        System.out.println("HostileTrafficTest over UDP: " + PACKETS + " packets");
        Icrc icrc = new Icrc();
        InetAddress elsewhereAddress = InetAddress.getByAddress(new byte[] {127, 0, 0, 2});
        try (TestNode node = TestNode.overUdp(LinkFaults.NONE);
                DatagramSocket known = new DatagramSocket(0, TestNode.LOOPBACK);
                DatagramSocket elsewhere = new DatagramSocket(0, elsewhereAddress)) {
            Attacker attacker = (packet, rightIcrc, fromElsewhere) -> {
                DatagramSocket socket = fromElsewhere ? elsewhere : known;
                int source = TestNode.LOOPBACK_IP + (fromElsewhere ? 1 : 0);
                if (rightIcrc && packet.length() >= SHORTEST) {
                    icrc.write(packet, source, socket.getLocalPort(), TestNode.LOOPBACK_IP, node.port());
                }
                byte[] bytes = bytesOf(packet);
                socket.send(new DatagramPacket(bytes, bytes.length, TestNode.LOOPBACK, node.port()));
            };
            new Run(node, attacker, () -> {}, seed).run();
            // The count includes only packets that fit the socket's buffer.
            assertThat(node.counters().received()).isGreaterThan(PACKETS / 2);
        }
    }

    /** Packets in a ring have no ICRC. Packets with a wrong ICRC, or from another host, therefore come over UDP. */
    @Test
    void shouldSurviveThroughSharedMemory() throws IOException {
        assumeTrue(NativeAccess.isGranted(), "shared memory needs native access");
        System.out.println("HostileTrafficTest in rings: " + PACKETS + " packets");
        InetAddress elsewhereAddress = InetAddress.getByAddress(new byte[] {127, 0, 0, 2});
        Icrc icrc = new Icrc();
        try (SharedDirectory directory = SharedDirectory.create();
                TestNode node = TestNode.overSharedMemory(directory, 0);
                PacketLink peer = directory.around(UdpLink.open(List.of(TestNode.LOOPBACK), 0), TestNode.LOOPBACK);
                DatagramSocket elsewhere = new DatagramSocket(0, elsewhereAddress)) {
            LinkAddress toNode = LinkAddress.of(TestNode.LOOPBACK_IP, node.port());
            Attacker attacker = (packet, rightIcrc, fromElsewhere) -> {
                if (rightIcrc && !fromElsewhere) {
                    sendThroughRing(peer, toNode, packet, node);
                    return;
                }
                if (rightIcrc && packet.length() >= SHORTEST) {
                    int source = TestNode.LOOPBACK_IP + 1;
                    icrc.write(packet, source, elsewhere.getLocalPort(), TestNode.LOOPBACK_IP, node.port());
                }
                byte[] bytes = bytesOf(packet);
                elsewhere.send(new DatagramPacket(bytes, bytes.length, TestNode.LOOPBACK, node.port()));
            };
            new Run(node, attacker, () -> {}, seed).run();
            assertThat(node.shared().brokenRings())
                    .as("invalid packets do not break a ring")
                    .isZero();
            assertThat(node.shared().received()).as("through rings").isGreaterThan(PACKETS / 2);
        }
    }

    private static void sendThroughRing(PacketLink peer, LinkAddress toNode, PacketBuffer packet, TestNode node) {
        while (!peer.send(0, toNode, packet)) {
            node.progress();
        }
        peer.flush();
    }

    private static byte[] bytesOf(PacketBuffer packet) {
        byte[] bytes = new byte[packet.length()];
        packet.bytes().get(0, bytes);
        return bytes;
    }
}
