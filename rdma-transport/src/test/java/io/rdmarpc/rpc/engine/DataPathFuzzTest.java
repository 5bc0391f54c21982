package io.rdmarpc.rpc.engine;

import static io.rdmarpc.rpc.engine.EngineRig.ECHO;
import static io.rdmarpc.rpc.engine.EngineRig.HOLD;
import static io.rdmarpc.rpc.engine.EngineRig.PEER_GID;
import static io.rdmarpc.rpc.engine.EngineRig.PEER_QPN;
import static io.rdmarpc.rpc.engine.EngineRig.RING;
import static io.rdmarpc.rpc.engine.EngineRig.WINDOW;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.TestSeed;
import io.rdmarpc.rpc.RpcRequest;
import io.rdmarpc.rpc.engine.client.ClientSession;
import io.rdmarpc.rpc.engine.context.EngineCounters.Drop;
import io.rdmarpc.rpc.engine.server.ServerSession;
import io.rdmarpc.rpc.engine.session.EngineSession;
import io.rdmarpc.rpc.error.RdmaUnavailableException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.wire.PacketType;
import io.rdmarpc.transport.FakeNic;
import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.wr.CompletionStatus;
import java.net.Inet4Address;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The engine receives its own packets at live sessions, changed at random. For more inputs: {@code
 * -Drdma.test.fuzz-inputs=10000000}. To repeat a run: {@code -Drdma.test.seed=SEED}.
 */
@Timeout(7_200)
class DataPathFuzzTest {

    private static final int INPUTS = Integer.getInteger("rdma.test.fuzz-inputs", 100_000);
    private static final int LARGE = 50_000;
    private static final Gid STRANGER = Gid.of(Inet4Address.ofLiteral("10.0.0.9"));
    /** The drop reasons that random packets alone must cause; the others need calls or a lack of memory. */
    private static final Set<Drop> EXPECTED = EnumSet.of(
            Drop.SHORT,
            Drop.VERSION,
            Drop.TYPE,
            Drop.UNKNOWN_SESSION,
            Drop.COOKIE,
            Drop.SOURCE,
            Drop.LENGTH,
            Drop.STALE,
            Drop.STATE,
            Drop.LATE_RESPONSE);

    private final EngineRig rig = new EngineRig();
    private final long seed = TestSeed.next();
    private final SplittableRandom random = new SplittableRandom(seed);
    private final PacketMutator mutator = new PacketMutator(random);
    private final FuzzStreams streams = new FuzzStreams(rig, random);
    private final List<Packet> recorded = record();
    private final ServerSession server = rig.server();
    private final ClientSession client = rig.client();
    private ServerSession wildServer = rig.server();
    private ClientSession wildClient = rig.client();
    private long nextIndex = WINDOW;

    /** Returns one packet of each kind, as the engine creates them. */
    private List<Packet> record() {
        List<Packet> packets = new ArrayList<>();
        recordClient(packets);
        recordServer(packets);
        return packets;
    }

    private void recordClient(List<Packet> packets) {
        ClientSession calling = rig.client();
        rig.connect(calling);
        streams.open(calling);
        rig.runLoop();
        Packet opening = rig.onlySent();
        packets.add(opening);
        rig.receive(FuzzStreams.accepting(calling, opening));
        streams.sendAll();
        rig.call(calling, EngineRig.bytes(40), Duration.ofMillis(5));
        rig.call(calling, EngineRig.bytes(LARGE), Duration.ofMillis(5));
        rig.runLoop();
        rig.pass(Duration.ofMillis(10));
        packets.addAll(rig.sent());
        rig.call(calling, EngineRig.bytes(1));
        rig.runLoop();
        rig.receive(Packet.largeResponse(calling, rig.onlySent().index(), LARGE, 0x7000, 1));
        rig.onlyRead().end(CompletionStatus.SUCCESS);
        rig.runLoop();
        packets.addAll(rig.sent());
        rig.remove(calling, "recorded");
    }

    private void recordServer(List<Packet> packets) {
        ServerSession unfinishedCalls = rig.server();
        rig.receive(FuzzStreams.opening(unfinishedCalls, WINDOW + 3, 0));
        streams.sendAll();
        rig.receive(Packet.request(unfinishedCalls, WINDOW, ECHO, EngineRig.bytes(9)));
        rig.receive(Packet.request(unfinishedCalls, WINDOW + 1, 99, new byte[0]));
        rig.receive(Packet.request(unfinishedCalls, WINDOW + 2, HOLD, new byte[1]));
        rig.receive(Packet.request(unfinishedCalls, WINDOW + 2, HOLD, new byte[1]));
        EngineRig.respond(rig.held.removeFirst(), EngineRig.bytes(LARGE));
        rig.runLoop();
        packets.addAll(rig.sent());
        rig.remove(unfinishedCalls, "recorded");
    }

    @Test
    @DisplayName("LO-12 ME-01 recorded packets, changed at random, at live sessions and streams: nothing throws, no "
            + "ring entry is lost,"
            + " other sessions' calls are correct")
    void whenPacketsAreChangedAtRandomThenOtherSessionsAreNotAffected() {
        assertThat(recorded.stream().map(Packet::type).distinct().count())
                .as("kinds of packets recorded")
                .isEqualTo(13);
        for (int i = 0; i < INPUTS; i++) {
            byte[] packet = random.nextInt(8) == 0 ? Packet.batch(some(), some(), some()) : some().bytes();
            receive(mutator.mutate(packet));
            if (i % 16 == 0) {
                live();
            }
            if (i % 64 == 0) {
                callBothWays(i);
            }
        }
        rig.held.forEach(held -> held.message().close());
        streams.release();
        // Messages that wait for a missing one in the streams of living sessions also hold entries.
        rig.remove(wildServer, "the end");
        rig.remove(wildClient, "the end");

        assertThat(rig.dropped(Drop.INTERNAL))
                .as("failures of the engine itself, seed %d", seed)
                .isZero();
        assertThat(rig.nic.unreceived())
                .as("packets without a ring entry, seed %d", seed)
                .isZero();
        assertThat(rig.nic.postedReceives())
                .as("posted receives, seed %d", seed)
                .isEqualTo(RING);
        System.out.printf(
                "DataPathFuzzTest seed %d, %d inputs, %d messages and %d ends of streams: %s%n",
                seed,
                INPUTS,
                streams.items,
                streams.ends,
                rig.loop.gauges().statistics().drops());
        assertThat(streams.violations)
                .as("violations seen by users of streams, seed %d", seed)
                .isEmpty();
        if (INPUTS >= 10_000) {
            assertThat(streams.items).as("messages of streams, seed %d", seed).isGreaterThan(INPUTS / 10_000);
            assertThat(streams.ends).as("streams that ended, seed %d", seed).isPositive();
            assertThat(EXPECTED).as("drop reasons met, seed %d", seed).allMatch(reason -> rig.dropped(reason) > 0);
        }
        rig.close();
    }

    /** Returns a packet that more or less fits one of the fuzzed sessions. */
    private Packet some() {
        Packet packet = recorded.get(random.nextInt(recorded.size()));
        boolean right = random.nextInt(10) > 0;
        EngineSession to = PacketType.isForServer(packet.type()) == right ? wildServer : wildClient;
        Packet addressed = packet.withSession(to.id).withCookie(to.cookie);
        if (PacketType.isStream(packet.type())) {
            return addressed
                    .withIndex(random.nextInt(random.nextBoolean() ? 3 : 20))
                    .withMethod(streams.someStream(to));
        }
        return addressed
                .withIndex(random.nextInt(60))
                .withMethod(
                        packet.method() == FuzzStreams.METHOD ? packet.method() : random.nextBoolean() ? ECHO : HOLD);
    }

    private void receive(byte[] packet) {
        int qpn = random.nextInt(20) == 0 ? random.nextInt() & 0xFF_FFFF : PEER_QPN;
        rig.nic.receive(packet, qpn, random.nextInt(20) == 0 ? STRANGER : PEER_GID);
        rig.runLoop();
    }

    /** The fuzzed sessions call, respond, READ and fail like others. */
    private void live() {
        acceptOpened();
        streams.act();
        rig.clock.advanceNanos(random.nextInt(3_000_000));
        if (wildClient.activeSlots < WINDOW && random.nextBoolean()) {
            rig.call(wildClient, EngineRig.bytes(random.nextInt(10) == 0 ? LARGE : 10), Duration.ofMillis(30));
        } else if (wildClient.activeSlots < WINDOW) {
            streams.open(wildClient);
        }
        rig.runLoop();
        for (FakeNic.Read read : List.copyOf(rig.nic.reads())) {
            read.end(random.nextInt(50) == 0 ? CompletionStatus.REM_ACCESS_ERR : CompletionStatus.SUCCESS);
        }
        while (rig.held.size() > 4) {
            finish(rig.held.remove(random.nextInt(rig.held.size())));
        }
        rig.runLoop();
        wildServer = renewed(wildServer) ? rig.server() : wildServer;
        wildClient = renewed(wildClient) ? rig.client() : wildClient;
    }

    /** The fuzzed client's server accepts most of its streams. */
    private void acceptOpened() {
        for (Packet packet : rig.sent()) {
            boolean opening = packet.cookie() == wildClient.cookie
                    && packet.type() == PacketType.REQUEST
                    && packet.method() == FuzzStreams.METHOD;
            if (opening && random.nextInt(4) > 0) {
                rig.receive(FuzzStreams.accepting(wildClient, packet));
            }
        }
    }

    private void finish(RpcRequest request) {
        switch (random.nextInt(3)) {
            case 0 -> respondLarge(request);
            case 1 -> request.fail(RpcStatus.HANDLER_FAILED, "test", "on purpose");
            default -> EngineRig.respond(request, EngineRig.bytes(3));
        }
    }

    private static void respondLarge(RpcRequest request) {
        try {
            EngineRig.respond(request, EngineRig.bytes(LARGE));
        } catch (RdmaUnavailableException e) {
            request.fail(RpcStatus.INTERNAL, "", "its session has ended, with the memory for a large response");
        }
    }

    /** Replaces a session that random packets have broken, or that is old; returns whether it did. */
    private boolean renewed(EngineSession session) {
        EngineRig.Host host = rig.hostOf(session);
        if (host.connectionsWanted == 1) {
            host.connectionsWanted = 0;
            rig.connect(session);
        }
        if (session.isOpen() && random.nextInt(200) > 0) {
            return false;
        }
        rig.remove(session, "broken by random packets");
        return true;
    }

    private void callBothWays(int number) {
        rig.sent();
        byte[] body = EngineRig.bytes(number % 900);
        rig.receive(Packet.request(server, nextIndex, ECHO, body));
        assertThat(packetsFor(server))
                .as("responses, seed %d, input %d", seed, number)
                .singleElement()
                .satisfies(response -> assertThat(response.body()).isEqualTo(body));
        nextIndex++;
        TestCall call = rig.call(client, body);
        rig.runLoop();
        Packet request = packetsFor(client).getFirst();
        rig.receive(Packet.response(client, request.index(), body));
        assertThat(call.response()).as("seed %d, input %d", seed, number).isEqualTo(body);
    }

    /** Returns the packets sent for a session since the last call. */
    private List<Packet> packetsFor(EngineSession of) {
        return rig.sent().stream()
                .filter(packet -> packet.cookie() == of.cookie)
                .toList();
    }
}
