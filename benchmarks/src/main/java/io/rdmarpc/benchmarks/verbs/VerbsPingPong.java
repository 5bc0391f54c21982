package io.rdmarpc.benchmarks.verbs;

import io.rdmarpc.benchmarks.BenchmarkControlLink;
import io.rdmarpc.benchmarks.DeviceOptions;
import io.rdmarpc.benchmarks.OpenPort;
import io.rdmarpc.benchmarks.load.CallMode;
import io.rdmarpc.benchmarks.load.Callers;
import io.rdmarpc.benchmarks.load.Contestant;
import io.rdmarpc.benchmarks.load.Payload;
import io.rdmarpc.benchmarks.load.Stamp;
import io.rdmarpc.verbs.ProtectionDomain;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.QueuePairCapabilities;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.wr.ReceiveRequests;
import io.rdmarpc.verbs.wr.SendFlags;
import io.rdmarpc.verbs.wr.SendOpcode;
import io.rdmarpc.verbs.wr.SendRequests;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;

/**
 * Bare verbs: round trips of datagrams by SEND on the software RNIC, over shared memory. Both ends poll without a
 * pause, as {@code ib_send_lat} does. There is one client, with one message in flight, which must fit one packet.
 */
public final class VerbsPingPong implements Contestant {

    /** Maximum length of a message in bytes. */
    public static final int MOST_BYTES = 2048;

    private static final int PAGE = 4096;
    private static final int DEPTH = 64;

    /** Creates the contestant. */
    public VerbsPingPong() {}

    @Override
    public CallMode mode(Payload payload, Callers callers) {
        return new CallMode("registered memory", "inline on the polling thread", "a busy thread on each side");
    }

    @Override
    public Server serve() throws IOException {
        ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Echoes echoes = new Echoes(listener);
        Thread.ofPlatform().daemon().name("ping-pong").start(echoes);
        return new Server() {
            @Override
            public String address() {
                return Integer.toString(listener.getLocalPort());
            }

            @Override
            public void close() {
                echoes.stopped = true;
            }
        };
    }

    private static final class Echoes implements Runnable {

        private final ServerSocket listener;
        private volatile boolean stopped;

        Echoes(ServerSocket listener) {
            this.listener = listener;
        }

        @Override
        public void run() {
            try (End end = new End();
                    BenchmarkControlLink link = BenchmarkControlLink.accept(listener)) {
                listener.close();
                end.exchange(link);
                while (!stopped) {
                    int length = end.receiveOne();
                    if (length > 0) {
                        end.copyToSend(length);
                        end.send(length);
                    }
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    @Override
    public Client connect(String address) throws IOException {
        End end = new End();
        try (BenchmarkControlLink link = BenchmarkControlLink.connect("127.0.0.1", Integer.parseInt(address))) {
            end.exchange(link);
        }
        return new Client() {
            private long number;

            @Override
            public Caller caller(Payload payload) {
                int length = payload.bytes();
                return () -> {
                    Stamp.write(end.toSend(), length, ++number);
                    end.send(length);
                    int came = 0;
                    while (came == 0) {
                        came = end.receiveOne();
                    }
                    Stamp.check(end.received(), 0, came, length, number);
                };
            }

            @Override
            public void close() {
                end.close();
            }
        };
    }

    /** One end: a page to send from, and a page to receive into. */
    private static final class End implements AutoCloseable {

        private final Arena arena = Arena.ofShared();
        private final OpenPort port = CommandLine.populateCommand(
                        new DeviceOptions(),
                        "--provider",
                        "soft",
                        "-O",
                        "soft.addresses=127.0.0.1",
                        "-O",
                        "soft.port=0")
                .open();
        private final ProtectionDomain domain = port.context().allocateProtectionDomain();
        private final MemoryRegion memory =
                domain.registerMemory(arena.allocate(2 * PAGE, PAGE), Set.of(AccessFlag.LOCAL_WRITE));
        private final Wiring wiring =
                new Wiring(port, domain, QueuePairType.UD, new QueuePairCapabilities(1, DEPTH, 1, 1, 0), false);
        private final BenchmarkPoller sent = new BenchmarkPoller(arena, wiring.sendQueue(), 1);
        private final BenchmarkPoller received = new BenchmarkPoller(arena, wiring.receiveQueue(), 1);
        private final SendRequests send = SendRequests.allocate(arena, 1, 1);
        private final ReceiveRequests receive = ReceiveRequests.allocate(arena, 1);
        private @Nullable EndPoint peer;

        /** Exchanges addresses with the other end. Both ends can send afterwards. */
        void exchange(BenchmarkControlLink link) throws IOException {
            receive.set(0, 0, memory.address() + PAGE, PAGE, memory.lkey());
            receive.chain(0, 1);
            for (int i = 0; i < DEPTH; i++) {
                Posts.check(wiring.queuePair().postReceive(receive, 0));
            }
            link.send(wiring.own(memory).line());
            peer = EndPoint.parse(line(link));
            wiring.connect(peer);
            link.send("ready");
            line(link);
        }

        private static String line(BenchmarkControlLink link) throws IOException {
            String line = link.receive();
            if (line == null) {
                throw new IOException(
                        "the other end of the ping-pong closed the connection; see its output for the reason");
            }
            return line;
        }

        MemorySegment toSend() {
            return memory.segment();
        }

        MemorySegment received() {
            return memory.segment().asSlice(PAGE + LatencyWorkload.GRH_BYTES);
        }

        void copyToSend(int length) {
            MemorySegment.copy(memory.segment(), PAGE + LatencyWorkload.GRH_BYTES, memory.segment(), 0, length);
        }

        void send(int length) {
            EndPoint to = peer;
            if (to == null) {
                throw new IllegalStateException("the ends have not exchanged their addresses; call exchange first");
            }
            send.set(0, 0, SendOpcode.SEND, SendFlags.SIGNALED, 1);
            send.setSge(0, 0, memory.address(), length, memory.lkey());
            send.chain(0, 1);
            send.setDatagram(0, wiring.addressHandle(), to.qpn(), Wiring.QKEY);
            Posts.check(wiring.queuePair().postSend(send, 0));
            sent.await();
        }

        /** Returns the length of a received message, or 0 if there is none. Posts another receive in its place. */
        int receiveOne() {
            if (received.poll() == 0) {
                return 0;
            }
            Posts.check(wiring.queuePair().postReceive(receive, 0));
            return received.byteLength() - LatencyWorkload.GRH_BYTES;
        }

        @Override
        public void close() {
            wiring.close();
            memory.close();
            domain.close();
            port.close();
            arena.close();
        }
    }
}
