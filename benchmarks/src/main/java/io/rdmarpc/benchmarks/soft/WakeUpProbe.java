package io.rdmarpc.benchmarks.soft;

import com.sun.management.OperatingSystemMXBean;
import io.rdmarpc.rpc.RpcConfig;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.transport.NicConfig;
import io.rdmarpc.verbs.AccessFlag;
import io.rdmarpc.verbs.AddressHandle;
import io.rdmarpc.verbs.AddressHandleAttributes;
import io.rdmarpc.verbs.CompletionChannel;
import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.GidEntry;
import io.rdmarpc.verbs.MemoryRegion;
import io.rdmarpc.verbs.ProtectionDomain;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.QueuePairAttributes;
import io.rdmarpc.verbs.QueuePairCapabilities;
import io.rdmarpc.verbs.QueuePairConfig;
import io.rdmarpc.verbs.QueuePairState;
import io.rdmarpc.verbs.QueuePairType;
import io.rdmarpc.verbs.RdmaContext;
import io.rdmarpc.verbs.ReceiveRequests;
import io.rdmarpc.verbs.SendOpcode;
import io.rdmarpc.verbs.SendRequests;
import io.rdmarpc.verbs.VerbsProviders;
import io.rdmarpc.verbs.WorkCompletions;
import io.rdmarpc.verbs.soft.ffi.Epoll;
import io.rdmarpc.verbs.soft.ffi.EventFd;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.management.ManagementFactory;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * How long a sleeping thread takes to run after another one has something for it, beside the bare means of the operating system in
 * the same run: by an eventfd, by a datagram, by {@link CompletionChannel#wakeUp}, by a message. Then the processor time of
 * the process while it sleeps. Arguments: wake-ups of each kind (2000), seconds of idleness (10).
 */
public final class WakeUpProbe {

    private static final int QKEY = 0x1234_5678;
    private static final int WARM_UP_SHARE = 4;
    private static final long PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(300);
    private static final long WAIT_LIMIT_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final Duration LONG = Duration.ofSeconds(10);

    private static final double NANOS_PER_PERCENT = 10_000_000;
    private static final OperatingSystemMXBean PROCESS =
            ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

    private final int rounds;
    private volatile long wokenAt;

    private WakeUpProbe(int rounds) {
        this.rounds = rounds;
    }

    /** What the sleeping thread does again and again; it returns when it was woken. */
    @FunctionalInterface
    private interface Sleep {
        void sleep() throws IOException;
    }

    /** What wakes it. */
    @FunctionalInterface
    private interface Wake {
        void wake() throws IOException;
    }

    /**
     * Runs the probe.
     *
     * @param arguments see above
     * @throws Exception when something cannot be opened
     */
    public static void main(String[] arguments) throws Exception {
        int rounds = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 2000;
        int idleSeconds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 10;
        WakeUpProbe probe = new WakeUpProbe(rounds);
        double bare = probe.bareEventFd();
        double datagram = probe.bareDatagram();
        probe.overRnic("owner", bare, datagram);
        probe.overRnic("thread", bare, datagram);
        idle(idleSeconds);
    }

    private double bareEventFd() throws Exception {
        try (Epoll set = Epoll.open("probe");
                EventFd bell = EventFd.open("probe")) {
            set.watchForNews(bell.descriptor());
            return measure("bare eventfd and epoll", set::await, bell::ring);
        }
    }

    private double bareDatagram() throws Exception {
        InetAddress loopback = Inet4Address.ofLiteral("127.0.0.1");
        try (DatagramChannel receiver = DatagramChannel.open().bind(new InetSocketAddress(loopback, 0));
                DatagramChannel sender = DatagramChannel.open().bind(new InetSocketAddress(loopback, 0))) {
            ByteBuffer in = ByteBuffer.allocateDirect(2048);
            ByteBuffer out = ByteBuffer.allocateDirect(64);
            return measure(
                    "bare datagram, blocking receive",
                    () -> receiver.receive(in.clear()),
                    () -> sender.send(out.clear(), receiver.getLocalAddress()));
        }
    }

    private void overRnic(String progress, double bare, double datagram) throws Exception {
        Map<String, String> options = Map.of(
                "soft.addresses", "127.0.0.1", "soft.port", "0", "soft.progress", progress, "soft.spin-micros", "0");
        try (RdmaContext context =
                        VerbsProviders.open("soft", "auto", 1, options).context();
                Arena arena = Arena.ofShared()) {
            CompletionChannel channel = context.createCompletionChannel();
            double wakeUp = measure(
                    "soft (" + progress + "): CompletionChannel.wakeUp", () -> channel.await(LONG), channel::wakeUp);
            print("  over a bare eventfd", wakeUp / bare, "x");
            Messages messages = new Messages(context, channel, arena);
            double message = measure("soft (" + progress + "): message to oneself", messages::sleep, messages::send);
            print("  over a bare datagram", message / datagram, "x");
        }
    }

    /** Returns the median in microseconds. */
    private double measure(String what, Sleep sleep, Wake wake) throws Exception {
        long[] nanos = new long[rounds];
        wokenAt = 0;
        Thread sleeper = Thread.ofPlatform().daemon().start(() -> {
            try {
                for (int i = 0; i < rounds + rounds / WARM_UP_SHARE; i++) {
                    sleep.sleep();
                    wokenAt = System.nanoTime();
                }
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
        for (int i = -rounds / WARM_UP_SHARE; i < rounds; i++) {
            LockSupport.parkNanos(PAUSE_NANOS);
            wokenAt = 0;
            long start = System.nanoTime();
            wake.wake();
            long woken = awaitWoken(start);
            if (i >= 0) {
                nanos[i] = woken - start;
            }
        }
        sleeper.join();
        Arrays.sort(nanos);
        double median = nanos[rounds / 2] / 1000.0;
        print(what + ", median", median, "us");
        print(what + ", 99th percentile", nanos[rounds * 99 / 100] / 1000.0, "us");
        return median;
    }

    private long awaitWoken(long start) {
        long woken = wokenAt;
        while (woken == 0) {
            if (System.nanoTime() - start > WAIT_LIMIT_NANOS) {
                throw new IllegalStateException("not woken in ten seconds");
            }
            Thread.onSpinWait();
            woken = wokenAt;
        }
        return woken;
    }

    private static void print(String what, double value, String unit) {
        System.out.printf(Locale.ROOT, "%-62s %8.2f %s%n", what, value, unit);
    }

    /** A queue pair that sends to itself: one thread sends, another one sleeps until that is there. */
    private static final class Messages {
        private final CompletionChannel channel;
        private final CompletionQueue received;
        private final QueuePair qp;
        private final ReceiveRequests receives;
        private final SendRequests sends;
        private final WorkCompletions completions;

        Messages(RdmaContext context, CompletionChannel channel, Arena arena) {
            this.channel = channel;
            received = context.createCompletionQueue(16, channel);
            ProtectionDomain domain = context.allocateProtectionDomain();
            MemoryRegion memory = domain.registerMemory(arena.allocate(4096), Set.of(AccessFlag.LOCAL_WRITE));
            CompletionQueue sent = context.createCompletionQueue(16);
            QueuePairCapabilities sizes = new QueuePairCapabilities(8, 8, 1, 1, 0);
            qp = domain.createQueuePair(new QueuePairConfig(QueuePairType.UD, sent, received, sizes, false));
            qp.modify(new QueuePairAttributes()
                    .state(QueuePairState.INIT)
                    .pkeyIndex(0)
                    .portNumber(1)
                    .qkey(QKEY));
            qp.modify(new QueuePairAttributes().state(QueuePairState.RTR));
            qp.modify(new QueuePairAttributes().state(QueuePairState.RTS).sendPsn(0));
            GidEntry gid = context.gidTable(1).getFirst();
            AddressHandle self = domain.createAddressHandle(
                    AddressHandleAttributes.to(gid.gid(), context.queryPort(1).lid(), gid.index(), 1));
            completions = WorkCompletions.allocate(arena, 4);
            receives = ReceiveRequests.allocate(arena, 1);
            receives.set(0, 1, memory.address(), 128, memory.lkey());
            receives.chain(0, 1);
            sends = SendRequests.allocate(arena, 1, 1);
            sends.set(0, 2, SendOpcode.SEND, 0, 1);
            sends.setSge(0, 0, memory.address() + 2048, 32, memory.lkey());
            sends.setDatagram(0, self.handle(), qp.number(), QKEY);
            sends.chain(0, 1);
            qp.postReceive(receives, 0);
        }

        void sleep() {
            int taken = 0;
            while (taken == 0) {
                received.requestNotification(false);
                taken = received.poll(completions, 4);
                if (taken == 0) {
                    channel.await(LONG);
                    taken = received.poll(completions, 4);
                }
            }
            qp.postReceive(receives, 0);
        }

        void send() {
            qp.postSend(sends, 0);
        }
    }

    private static void idle(int seconds) throws InterruptedException {
        try (RdmaRuntime server = RdmaRuntime.open(
                NicConfig.DEFAULTS.withProvider("soft", Map.of("soft.addresses", "127.0.0.1", "soft.port", "0")),
                RpcConfig.DEFAULTS)) {
            server.listen(new InetSocketAddress(Inet4Address.ofLiteral("127.0.0.1"), 0));
            // Compilers finish first.
            Thread.sleep(2000);
            long before = PROCESS.getProcessCpuTime();
            Thread.sleep(Duration.ofSeconds(seconds));
            double used = PROCESS.getProcessCpuTime() - before;
            print("idle process with an RPC server", used / seconds / NANOS_PER_PERCENT, "% of a core");
        }
        idleContext(seconds);
    }

    private static void idleContext(int seconds) throws InterruptedException {
        Map<String, String> options = Map.of("soft.addresses", "127.0.0.1", "soft.port", "0");
        try (RdmaContext context =
                        VerbsProviders.open("soft", "auto", 1, options).context();
                CompletionChannel channel = context.createCompletionChannel()) {
            // Compilers finish first.
            Thread.sleep(2000);
            long before = PROCESS.getProcessCpuTime();
            channel.await(Duration.ofSeconds(seconds));
            double used = PROCESS.getProcessCpuTime() - before;
            print(
                    "idle process with a progress thread, one waiting",
                    used / seconds / NANOS_PER_PERCENT,
                    "% of a core");
        }
    }
}
