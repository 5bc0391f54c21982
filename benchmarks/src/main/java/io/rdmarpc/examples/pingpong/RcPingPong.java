package io.rdmarpc.examples.pingpong;

import io.rdmarpc.benchmarks.Commands;
import io.rdmarpc.benchmarks.DeviceOptions;
import io.rdmarpc.benchmarks.OpenPort;
import io.rdmarpc.benchmarks.PeerOptions;
import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.ProtectionDomain;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.PathMtu;
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

/** A ping-pong on a reliable connection, with this program or {@code ibv_rc_pingpong} at the other end. */
@Command(name = "RcPingPong", mixinStandardHelpOptions = true, sortOptions = false)
public final class RcPingPong implements Callable<Integer> {

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
            description = "bytes per message (default ${DEFAULT-VALUE})")
    private int size = 4096;

    @Option(
            names = {"-m", "--mtu"},
            description = "path MTU (default ${DEFAULT-VALUE})")
    private int mtu = 1024;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    private final IntConsumer listening;

    private RcPingPong(IntConsumer listening) {
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
        return Commands.run(new RcPingPong(listening), arguments);
    }

    @Override
    public Integer call() throws IOException {
        try (Arena arena = Arena.ofConfined();
                OpenPort port = device.open();
                ProtectionDomain domain = port.context().allocateProtectionDomain();
                CompletionQueue queue = port.context().createCompletionQueue(options.receiveDepth + 1);
                QueuePair queuePair = domain.createQueuePair(options.queuePair(QueuePairType.RC, queue));
                MemoryRegion buffer =
                        domain.registerMemory(arena.allocate(size, PAGE), Set.of(AccessFlag.LOCAL_WRITE))) {
            MessageBytes.write(buffer.segment());
            PingPong pingPong = new PingPong(arena, queuePair, queue, peer.iterations(), options.receiveDepth);
            pingPong.use(buffer, 0, size);
            queuePair.modify(new QueuePairAttributes()
                    .state(QueuePairState.INIT)
                    .pkeyIndex(0)
                    .portNumber(port.number())
                    .accessFlags(0));
            pingPong.postReceives();
            int psn = ThreadLocalRandom.current().nextInt(PSN_LIMIT);
            new AddressExchange(peer, listening, out())
                    .exchange(PingPongAddress.of(port, queuePair, psn), other -> connect(port, queuePair, psn, other));
            long nanos = pingPong.run(peer.host() != null);
            new PingPongReport(size, peer.iterations(), nanos).print(out());
            if (options.validate) {
                MessageBytes.check(buffer.segment());
            }
            return 0;
        }
    }

    private void connect(OpenPort port, QueuePair queuePair, int psn, PingPongAddress other) {
        queuePair.modify(new QueuePairAttributes()
                .state(QueuePairState.RTR)
                .addressVector(port.to(other.gid(), other.lid(), options.serviceLevel))
                .pathMtu(PathMtu.ofBytes(mtu))
                .destinationQpn(other.qpn())
                .receivePsn(other.psn())
                .maxDestReadAtomic(1)
                .minRnrTimer(12));
        queuePair.modify(new QueuePairAttributes()
                .state(QueuePairState.RTS)
                .timeout(14)
                .retryCount(7)
                .rnrRetry(7)
                .sendPsn(psn)
                .maxReadAtomic(1));
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }
}
