package io.rdmarpc.examples.pingpong;

import io.rdmarpc.benchmarks.Commands;
import io.rdmarpc.benchmarks.DeviceOptions;
import io.rdmarpc.benchmarks.OpenPort;
import io.rdmarpc.benchmarks.PeerOptions;
import io.rdmarpc.verbs.AddressHandle;
import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.ProtectionDomain;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.QueuePairAttributes;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.mr.MemoryRegion;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.foreign.Arena;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntConsumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * A ping-pong of datagrams, with this program or {@code ibv_ud_pingpong} at the other end. A lost datagram ends the
 * program, because neither end retransmits.
 */
@Command(name = "UdPingPong", mixinStandardHelpOptions = true, sortOptions = false)
public final class UdPingPong implements Callable<Integer> {

    /** Queue key of {@code ibv_ud_pingpong}. */
    private static final int QKEY = 0x1111_1111;

    /** Length of the global route header at the beginning of each receive buffer. */
    private static final int GRH_BYTES = 40;

    private static final int PSN_LIMIT = 1 << 24;
    private static final int PAGE = 4096;

    @Mixin
    private DeviceOptions device = new DeviceOptions();

    @Mixin
    private PeerOptions peer = new PeerOptions();

    @Mixin
    private PingPongOptions options = new PingPongOptions();

    @Option(
            names = {"-s", "--size"},
            description = "bytes per message, at most the path MTU (default ${DEFAULT-VALUE})")
    private int size = 1024;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    private final IntConsumer listening;

    private UdPingPong(IntConsumer listening) {
        this.listening = listening;
    }

    /**
     * Runs the program.
     *
     * @param arguments {@code --help} lists them
     */
    public static void main(String... arguments) {
        System.exit(run(port -> {}, arguments));
    }

    /** Runs the program as {@link #main} does. A server reports its TCP port as soon as it listens. */
    static int run(IntConsumer listening, String... arguments) {
        return Commands.run(new UdPingPong(listening), arguments);
    }

    @Override
    public Integer call() throws IOException {
        try (Arena arena = Arena.ofConfined();
                OpenPort port = device.open();
                ProtectionDomain domain = port.context().allocateProtectionDomain();
                CompletionQueue queue = port.context().createCompletionQueue(options.receiveDepth + 1);
                QueuePair queuePair = domain.createQueuePair(options.queuePair(QueuePairType.UD, queue));
                MemoryRegion buffer =
                        domain.registerMemory(arena.allocate(GRH_BYTES + size, PAGE), Set.of(AccessFlag.LOCAL_WRITE))) {
            checkSize(port.mtu().bytes());
            MessageBytes.write(buffer.segment().asSlice(GRH_BYTES));
            PingPong pingPong = new PingPong(arena, queuePair, queue, peer.iterations(), options.receiveDepth);
            pingPong.use(buffer, GRH_BYTES, size);
            int psn = ThreadLocalRandom.current().nextInt(PSN_LIMIT);
            makeReady(queuePair, port.number(), psn);
            pingPong.postReceives();
            PingPongAddress other = new AddressExchange(peer, listening, out())
                    .exchange(PingPongAddress.of(port, queuePair, psn), client -> {});
            try (AddressHandle handle =
                    domain.createAddressHandle(port.to(other.gid(), other.lid(), options.serviceLevel))) {
                pingPong.send().setDatagram(0, handle.handle(), other.qpn(), QKEY);
                long nanos = pingPong.run(peer.host() != null);
                new PingPongReport(size, peer.iterations(), nanos).print(out());
            }
            if (options.validate) {
                MessageBytes.check(buffer.segment().asSlice(GRH_BYTES));
            }
            return 0;
        }
    }

    private void checkSize(int mtu) {
        if (size > mtu) {
            throw new IllegalArgumentException(
                    "a datagram of " + size + " bytes exceeds the path MTU of " + mtu + " bytes: use --size " + mtu);
        }
    }

    /** Makes the queue pair ready to receive and send. A datagram queue pair needs no peer for that. */
    private static void makeReady(QueuePair queuePair, int port, int psn) {
        queuePair.modify(new QueuePairAttributes()
                .state(QueuePairState.INIT)
                .pkeyIndex(0)
                .portNumber(port)
                .qkey(QKEY));
        queuePair.modify(new QueuePairAttributes().state(QueuePairState.RTR));
        queuePair.modify(new QueuePairAttributes().state(QueuePairState.RTS).sendPsn(psn));
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }
}
