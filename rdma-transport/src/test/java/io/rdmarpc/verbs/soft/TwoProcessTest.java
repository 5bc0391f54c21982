package io.rdmarpc.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.TestSeed;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.AddressHandleAttributes;
import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.soft.link.fault.LinkFaults;
import io.rdmarpc.verbs.wr.CompletionOpcode;
import io.rdmarpc.verbs.wr.CompletionStatus;
import io.rdmarpc.verbs.wr.SendOpcode;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.ProcessBuilder.Redirect;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * READ, WRITE and SEND with another process, which only polls and sends messages back. Both drop 1 % of the packets.
 */
@Timeout(120)
@Tag("processes")
class TwoProcessTest {

    private static final int LENGTH = 16 << 20;
    private static final int PSN = 1;
    private static final double LOSS = 0.01;

    /** The endpoint that the processes exchange as one line of numbers. */
    private record Endpoint(int port, int qpn, long address, int rkey) {

        private static Endpoint parse(String line) {
            String[] numbers = line.split(" ", -1);
            return new Endpoint(
                    Integer.parseInt(numbers[0]),
                    Integer.parseInt(numbers[1]),
                    Long.parseLong(numbers[2]),
                    Integer.parseInt(numbers[3]));
        }

        private String line() {
            return port + " " + qpn + " " + address + " " + rkey;
        }
    }

    private static byte pattern(int index) {
        return (byte) (index * 31 ^ index >> 11);
    }

    private static void connect(TestNode node, QueuePair qp, Endpoint peer) {
        qp.modify(node.toInit(node.remoteAccess));
        qp.modify(node.toRtr(node, peer.qpn(), PSN)
                .addressVector(AddressHandleAttributes.to(Gid.of(TestNode.LOOPBACK), peer.port(), 0, 1)));
        qp.modify(node.toRts(PSN));
    }

    /** The other process: shares its memory and polls until it is killed. */
    static final class Target {

        private Target() {}

        /**
         * Runs the process.
         *
         * @param args the seed of its faults, then the reader's endpoint
         */
        public static void main(String[] args) throws IOException {
            long seed = Long.parseLong(args[0]);
            Endpoint reader = Endpoint.parse(args[1]);
            TestNode node = TestNode.overUdp(LinkFaults.loss(LOSS, seed));
            MemoryRegion from = Pair.everythingAllowed(node, 2L * LENGTH);
            for (int i = 0; i < LENGTH; i++) {
                from.segment().set(ValueLayout.JAVA_BYTE, i, pattern(i));
            }
            QueuePair qp = node.create(QueuePairType.RC);
            connect(node, qp, reader);
            node.receive(qp, 1, from, LENGTH, LENGTH);
            System.out.println(new Endpoint(node.port(), qp.number(), from.address(), from.rkey()).line());
            while (ProcessHandle.current().parent().isPresent()) {
                for (int i = 0; i < 100_000; i++) {
                    TestNode.Completion completion = node.next();
                    if (completion != null && completion.opcode() == CompletionOpcode.RECV) {
                        node.receive(qp, 1, from, LENGTH, LENGTH);
                        node.message(
                                qp, 2, SendOpcode.SEND, from, LENGTH, completion.byteLength(), TestNode.Remote.NONE);
                    }
                }
            }
        }
    }

    private static Process start(long seed, Endpoint reader) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        classPath(),
                        Target.class.getName(),
                        Long.toString(seed),
                        reader.line())
                .redirectError(Redirect.INHERIT)
                .start();
    }

    /** Surefire puts the module's classes on the module path; a plain child takes both as its class path. */
    private static String classPath() {
        String modulePath = System.getProperty("jdk.module.path", "");
        String separator = modulePath.isEmpty() ? "" : File.pathSeparator;
        return location(TwoProcessTest.class)
                + File.pathSeparator
                + location(SoftProvider.class)
                + separator
                + modulePath;
    }

    private static String location(Class<?> type) {
        return Path.of(URI.create(
                        type.getProtectionDomain().getCodeSource().getLocation().toString()))
                .toString();
    }

    @Test
    void shouldReadSixteenMebibytesOverLossyUdp() throws IOException {
        long seed = TestSeed.next();
        try (TestNode node = TestNode.overUdp(LinkFaults.loss(LOSS, seed))) {
            MemoryRegion into = node.register(LENGTH, AccessFlag.LOCAL_WRITE);
            QueuePair qp = node.create(QueuePairType.RC);
            Process process = start(seed + 1, new Endpoint(node.port(), qp.number(), 0, 0));
            try (BufferedReader output =
                    new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
                Endpoint target = Endpoint.parse(output.readLine());
                connect(node, qp, target);
                for (int round = 0; round < 3; round++) {
                    into.segment().fill((byte) 0);
                    readOnce(node, qp, into, target, seed);
                }
                assertThat(node.counters().retries()).isPositive();
            } finally {
                process.destroyForcibly();
            }
        }
    }

    private static void readOnce(TestNode node, QueuePair qp, MemoryRegion into, Endpoint target, long seed) {
        long start = System.nanoTime();
        assertThat(node.read(qp, 1, into, 0, LENGTH, target.address(), target.rkey()))
                .isZero();
        TestNode.Completion completion;
        do {
            completion = node.next();
        } while (completion == null);
        System.out.printf(
                "READ of 16 MiB from another process, loss 0.01: %.1f MB/s%n",
                LENGTH * 1e3 / (System.nanoTime() - start));
        assertThat(CompletionStatus.describe(completion.status()))
                .as("seed %d", seed)
                .isEqualTo("SUCCESS (0)");
        for (int i = 0; i < LENGTH; i++) {
            if (into.segment().get(ValueLayout.JAVA_BYTE, i) != pattern(i)) {
                throw new AssertionError("byte " + i + " differs, seed " + seed);
            }
        }
    }

    @Test
    void shouldWriteAndEchoSixteenMebibytesOverLossyUdp() throws IOException {
        long seed = TestSeed.next();
        try (TestNode node = TestNode.overUdp(LinkFaults.loss(LOSS, seed))) {
            MemoryRegion own = Pair.everythingAllowed(node, 2L * LENGTH);
            Pair.fill(own.segment(), seed);
            QueuePair qp = node.create(QueuePairType.RC);
            Process process = start(seed + 1, new Endpoint(node.port(), qp.number(), 0, 0));
            try (BufferedReader output =
                    new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
                Endpoint target = Endpoint.parse(output.readLine());
                connect(node, qp, target);
                for (int round = 0; round < 3; round++) {
                    writeAndReadBack(node, qp, own, target);
                    sendAndReceiveBack(node, qp, own);
                }
            } finally {
                process.destroyForcibly();
            }
        }
    }

    private static void writeAndReadBack(TestNode node, QueuePair qp, MemoryRegion own, Endpoint target) {
        own.segment().asSlice(LENGTH).fill((byte) 0);
        TestNode.Remote there = new TestNode.Remote(target.address(), target.rkey());
        long start = System.nanoTime();
        node.message(qp, 1, SendOpcode.RDMA_WRITE, own, 0, LENGTH, there);
        assertThat(Pair.status(await(node))).isEqualTo("SUCCESS (0)");
        System.out.printf(
                "WRITE of 16 MiB to another process, loss 0.01: %.1f MB/s%n",
                LENGTH * 1e3 / (System.nanoTime() - start));
        node.read(qp, 2, own, LENGTH, LENGTH, target.address(), target.rkey());
        assertThat(Pair.status(await(node))).isEqualTo("SUCCESS (0)");
        assertHalvesAreSame(own);
    }

    private static void sendAndReceiveBack(TestNode node, QueuePair qp, MemoryRegion own) {
        own.segment().asSlice(LENGTH).fill((byte) 0);
        node.receive(qp, 3, own, LENGTH, LENGTH);
        node.message(qp, 4, SendOpcode.SEND, own, 0, LENGTH, TestNode.Remote.NONE);
        assertThat(await(node).wrId()).isEqualTo(4);
        TestNode.Completion received = await(node);
        assertThat(received.wrId()).isEqualTo(3);
        assertThat(received.byteLength()).isEqualTo(LENGTH);
        assertHalvesAreSame(own);
    }

    private static void assertHalvesAreSame(MemoryRegion own) {
        MemorySegment memory = own.segment();
        assertThat(memory.asSlice(0, LENGTH).mismatch(memory.asSlice(LENGTH, LENGTH)))
                .isEqualTo(-1);
    }

    private static TestNode.Completion await(TestNode node) {
        TestNode.Completion completion;
        do {
            completion = node.next();
        } while (completion == null);
        return completion;
    }
}
