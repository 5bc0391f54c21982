package io.rdmarpc.rpc.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.rpc.engine.client.ClientCredits;
import io.rdmarpc.rpc.engine.client.ClientSession;
import io.rdmarpc.rpc.engine.packet.CreditPool;
import io.rdmarpc.rpc.engine.server.ServerCredits;
import io.rdmarpc.rpc.engine.server.ServerSession;
import io.rdmarpc.rpc.wire.CreditWord;
import io.rdmarpc.rpc.wire.PacketHeader;
import io.rdmarpc.rpc.wire.PacketType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

@DisplayName("Receive credits")
class CreditsTest {

    private static final Duration IDLE = Duration.ofMillis(102);

    private final EngineRig rig = new EngineRig();

    @AfterEach
    void close() {
        rig.close();
    }

    private ClientSession poorClient() {
        ClientSession session = rig.client();
        session.credits.own(1);
        return session;
    }

    private List<TestCall> calls(ClientSession session, int count) {
        List<TestCall> calls = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            calls.add(rig.call(session, new byte[8]));
        }
        rig.runLoop();
        return calls;
    }

    private static Packet responseTo(ClientSession session, long index, int word) {
        return Packet.response(session, index, new byte[8]).withMethod(word);
    }

    @Nested
    @DisplayName("at the client")
    class AtTheClient {

        @Test
        @DisplayName("FC-01 without credits calls wait, and nothing is lost")
        void whenThereIsOneCreditThenOneRequestIsInFlight() {
            ClientSession session = poorClient();
            List<TestCall> calls = calls(session, 3);

            Packet first = rig.onlySent();
            assertThat(first.flags() & PacketHeader.FLAG_MORE_CREDITS).isNotZero();
            rig.receive(responseTo(session, first.index(), 0));
            Packet second = rig.onlySent();
            rig.receive(responseTo(session, second.index(), 0));
            rig.receive(responseTo(session, rig.onlySent().index(), 0));

            assertThat(calls).allMatch(call -> call.response().length == 8);
        }

        @Test
        void whenTheServerAllowsMoreThenWaitingCallsAreSentAtOnce() {
            ClientSession session = poorClient();
            calls(session, 5);
            Packet first = rig.onlySent();

            rig.receive(Packet.progress(session, first.index(), true).withMethod(CreditWord.of(1, 3)));

            assertThat(rig.sent()).hasSize(2).allMatch(packet -> packet.status() == 1);
            assertThat(session.activeSlots).isEqualTo(3);
        }

        @Test
        void whenALatePacketHasAnOldNumberThenItIsIgnored() {
            ClientSession session = poorClient();
            calls(session, 5);
            Packet first = rig.onlySent();
            rig.receive(Packet.progress(session, first.index(), true).withMethod(CreditWord.of(7, 4)));
            rig.receive(Packet.progress(session, first.index(), true).withMethod(CreditWord.of(6, 1)));

            assertThat(session.credits.allowed()).isEqualTo(4);
        }

        @Test
        void whenTheServerPromisesMoreThanTheWindowThenTheWindowIsTheLimit() {
            ClientSession session = poorClient();
            calls(session, EngineRig.WINDOW + 2);
            rig.receive(Packet.progress(session, rig.onlySent().index(), true).withMethod(CreditWord.of(1, 256)));

            assertThat(session.activeSlots).isEqualTo(EngineRig.WINDOW);
        }

        @Test
        void whenTheServerLowersThenNoCallStartsUntilEnoughHaveEnded() {
            ClientSession session = poorClient();
            calls(session, 6);
            long first = rig.onlySent().index();
            rig.receive(Packet.progress(session, first, true).withMethod(CreditWord.of(1, 3)));
            List<Packet> others = rig.sent();

            rig.receive(responseTo(session, first, CreditWord.of(2, 1)));
            assertThat(rig.sent()).isEmpty();
            rig.receive(responseTo(session, others.get(0).index(), CreditWord.of(2, 1)));
            assertThat(rig.sent()).isEmpty();
            rig.receive(responseTo(session, others.get(1).index(), CreditWord.of(2, 1)));

            assertThat(rig.onlySent().status()).isEqualTo(2);
        }

        @Test
        void whenItIsIdleThenItReturnsBorrowedCreditsUntilTheServerConfirms() {
            ClientSession session = poorClient();
            calls(session, 1);
            long index = rig.onlySent().index();
            rig.receive(responseTo(session, index, CreditWord.of(1, 4)));

            rig.pass(IDLE);
            Packet hint = rig.onlySent();
            assertThat(hint.type()).isEqualTo(PacketType.RELEASE);
            assertThat(hint.flags()).isEqualTo(PacketHeader.FLAG_RETURN_CREDITS);
            assertThat(hint.status()).isEqualTo(1);
            assertThat(session.credits.allowed()).isEqualTo(1);
            rig.pass(IDLE);
            assertThat(rig.sent()).hasSize(1);

            rig.receive(Packet.progress(session, index, true).withMethod(CreditWord.of(2, 1)));
            rig.pass(IDLE.multipliedBy(2));
            assertThat(rig.sent()).isEmpty();
            assertThat(rig.loop.needsTime()).isFalse();
        }

        @Test
        @DisplayName("FC-08 calls in flight never need more receives than the local ring has")
        void whenTheLocalRingIsFullyLentThenCallsWaitForIt() {
            List<ClientSession> sessions = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                sessions.add(rig.client());
            }
            List<TestCall> calls = new ArrayList<>();
            sessions.forEach(session -> calls.addAll(calls(session, EngineRig.WINDOW)));
            List<Packet> sent = new ArrayList<>(rig.sent());
            assertThat(sent).hasSizeBetween(40, EngineRig.RING - 8);
            assertThat(calls.size()).isEqualTo(160);

            int responded = 0;
            while (responded < sent.size()) {
                Packet request = sent.get(responded++);
                rig.receive(responseTo(owner(sessions, request), request.index(), 0));
                sent.addAll(rig.sent());
                assertThat(sent.size() - responded).isLessThanOrEqualTo(EngineRig.RING - 8);
            }

            assertThat(calls).allMatch(call -> call.response().length == 8);
            assertThat(rig.loop.creditPool().borrowed()).isZero();
        }

        private ClientSession owner(List<ClientSession> sessions, Packet request) {
            return sessions.stream()
                    .filter(session -> session.cookie == request.cookie())
                    .findFirst()
                    .orElseThrow();
        }
    }

    @Nested
    @DisplayName("at the server")
    class AtTheServer {

        private final ServerSession session = rig.server();

        private Packet request(long index, int method, int flags, int version) {
            Packet plain = Packet.request(session, index, method, new byte[8]);
            return plain.withFlags(plain.flags() | flags).withStatus(version);
        }

        @Test
        void whenARequestUsesTheLastCreditThenItsResponseGrantsTwiceAsMany() {
            rig.receive(request(EngineRig.FIRST, EngineRig.ECHO, PacketHeader.FLAG_MORE_CREDITS, 0));
            assertThat(rig.onlySent().method()).isEqualTo(CreditWord.of(1, 2));
            rig.receive(request(EngineRig.FIRST + 1, EngineRig.ECHO, PacketHeader.FLAG_MORE_CREDITS, 1));

            assertThat(rig.onlySent().method()).isEqualTo(CreditWord.of(2, 4));
            assertThat(rig.loop.creditPool().borrowed()).isEqualTo(3);
        }

        @Test
        void whenTheResponseTakesLongThenTheCreditsDoNotWaitForIt() {
            rig.receive(request(EngineRig.FIRST, EngineRig.HOLD, PacketHeader.FLAG_MORE_CREDITS, 0));

            Packet progress = rig.onlySent();
            assertThat(progress.type()).isEqualTo(PacketType.PROGRESS);
            assertThat(progress.method()).isEqualTo(CreditWord.of(1, 2));
        }

        @Test
        void whenARequestDoesNotAskForCreditsThenNothingChanges() {
            rig.receive(request(EngineRig.FIRST, EngineRig.ECHO, 0, 0));

            assertThat(rig.onlySent().method()).isZero();
            assertThat(rig.loop.creditPool().borrowed()).isZero();
        }

        @Test
        void whenTheClientReturnsThemThenTheyAreFreeAndItIsNotified() {
            rig.receive(request(EngineRig.FIRST, EngineRig.ECHO, PacketHeader.FLAG_MORE_CREDITS, 0));
            rig.sent();
            Packet hint = Packet.release(session, EngineRig.FIRST)
                    .withFlags(PacketHeader.FLAG_RETURN_CREDITS)
                    .withStatus(1);

            rig.receive(hint);
            assertThat(rig.onlySent().method()).isEqualTo(CreditWord.of(2, 1));
            assertThat(rig.loop.creditPool().borrowed()).isZero();
            rig.receive(hint);
            assertThat(rig.onlySent().method()).isEqualTo(CreditWord.of(2, 1));
        }

        @Test
        void whenTheReturnCrossesACreditUpdateThenNothingIsFreed() {
            rig.receive(request(EngineRig.FIRST, EngineRig.ECHO, PacketHeader.FLAG_MORE_CREDITS, 0));
            rig.sent();
            rig.receive(Packet.release(session, EngineRig.FIRST).withFlags(PacketHeader.FLAG_RETURN_CREDITS));

            assertThat(rig.onlySent().method()).isEqualTo(CreditWord.of(1, 2));
            assertThat(rig.loop.creditPool().borrowed()).isEqualTo(1);
        }

        @Test
        void whenTheSessionEndsThenItsCreditsAreFree() {
            rig.receive(request(EngineRig.FIRST, EngineRig.ECHO, PacketHeader.FLAG_MORE_CREDITS, 0));
            rig.remove(session, "over");

            assertThat(rig.loop.creditPool().borrowed()).isZero();
        }

        @Test
        void whenOthersGetNoCreditThenHalfIsWithdrawnButHeldUntilTheClientKnows() {
            rig.receive(request(EngineRig.FIRST, EngineRig.ECHO, PacketHeader.FLAG_MORE_CREDITS, 0));
            rig.receive(request(EngineRig.FIRST + 1, EngineRig.ECHO, PacketHeader.FLAG_MORE_CREDITS, 1));
            rig.sent();
            int rest = rig.loop.creditPool().free();
            rig.loop.creditPool().take(rest + 1);

            rig.receive(request(EngineRig.FIRST + 2, EngineRig.ECHO, 0, 2));
            assertThat(rig.onlySent().method()).isEqualTo(CreditWord.of(3, 2));
            assertThat(session.credits.held()).isEqualTo(4);
            rig.receive(request(EngineRig.FIRST + 3, EngineRig.ECHO, 0, 3));
            assertThat(session.credits.held()).isEqualTo(2);

            rig.loop.creditPool().giveBack(rest);
        }
    }

    @Test
    @DisplayName("FC-08 despite losses and delays, a client never uses more credits than its server holds for it")
    void shouldNeverUseMoreThanIsHeld() {
        for (long seed = 1; seed <= 200; seed++) {
            CreditSimulation.run(new SplittableRandom(seed), seed);
        }
    }

    /** Both ends of a session, and a network that loses, duplicates and reorders their credit updates. */
    private static final class CreditSimulation {

        private static final int WINDOW = 8;

        private final SplittableRandom random;
        private final CreditPool serverPool = new CreditPool(20);
        private final ServerCredits server = new ServerCredits(serverPool, WINDOW);
        private final ClientCredits client = new ClientCredits(new CreditPool(1000), WINDOW);
        private final List<int[]> toServer = new ArrayList<>();
        private final List<Integer> toClient = new ArrayList<>();
        private int active;

        private CreditSimulation(SplittableRandom random) {
            this.random = random;
        }

        static void run(SplittableRandom random, long seed) {
            CreditSimulation simulation = new CreditSimulation(random);
            for (int step = 0; step < 500; step++) {
                simulation.step();
                assertThat(simulation.active)
                        .as("seed %d step %d", seed, step)
                        .isLessThanOrEqualTo(simulation.server.held());
            }
        }

        private void step() {
            switch (random.nextInt(6)) {
                case 0, 1 -> start();
                case 2 -> active -= active > 0 ? 1 : 0;
                case 3 -> atServer();
                case 4 -> atClient();
                default -> pressure();
            }
        }

        private void start() {
            if (client.isAllowed(active)) {
                active++;
                toServer.add(
                        new int[] {client.version(), client.isUsedUp(active) ? 1 : 0, client.isReturning() ? 1 : 0});
            } else if (active == 0 && client.isReturnDue()) {
                client.giveBack();
                toServer.add(new int[] {client.version(), 2, 1});
            }
        }

        private void atServer() {
            if (toServer.isEmpty()) {
                return;
            }
            int[] packet = toServer.get(random.nextInt(toServer.size()));
            if (random.nextBoolean()) {
                toServer.remove(packet);
            }
            if (packet[2] == 1) {
                server.onReturn(packet[0]);
            }
            if (packet[1] != 2) {
                server.onRequest(packet[0]);
                if (packet[1] == 1) {
                    server.raise();
                }
            }
            server.lowerIfShort();
            toClient.add(server.word());
        }

        private void atClient() {
            if (toClient.isEmpty()) {
                return;
            }
            // A network does not keep packets for as long as half of the version range.
            int from = Math.max(0, toClient.size() - 20);
            client.onWord(toClient.get(random.nextInt(from, toClient.size())));
        }

        private void pressure() {
            if (random.nextInt(10) == 0) {
                int got = serverPool.take(100);
                serverPool.giveBack(got);
            }
        }
    }
}
