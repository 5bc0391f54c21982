package io.rdmarpc.rpc.engine;

import static io.rdmarpc.rpc.engine.EngineRig.ECHO;
import static io.rdmarpc.rpc.engine.EngineRig.FIRST;
import static io.rdmarpc.rpc.engine.EngineRig.HOLD;
import static io.rdmarpc.rpc.engine.EngineRig.PEER_GID;
import static io.rdmarpc.rpc.engine.EngineRig.PEER_QPN;
import static io.rdmarpc.rpc.engine.EngineRig.WINDOW;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.memory.RegisteredBlock;
import io.rdmarpc.rpc.config.LoadLimits;
import io.rdmarpc.rpc.engine.context.EngineCommand;
import io.rdmarpc.rpc.engine.context.EngineCounters.Drop;
import io.rdmarpc.rpc.engine.server.ServerSession;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each reason for which a packet or a response is dropped has its counter, and only that one changes. */
class DropReasonTest {

    private static final byte[] HELLO = EngineRig.bytes(11);

    private static final int MAX_CALLS = 2;

    private final EngineRig rig = new EngineRig(new LoadLimits(MAX_CALLS, Duration.ZERO));
    private final ServerSession session = rig.server();
    private final Packet request = Packet.request(session, FIRST, ECHO, HELLO);
    private final Map<Drop, Runnable> provocations = new EnumMap<>(Map.of(
            Drop.SHORT, () -> rig.receive(new byte[7]),
            Drop.VERSION, () -> receiveChanged(0),
            Drop.TYPE, () -> receiveChanged(1),
            Drop.UNKNOWN_SESSION, () -> rig.receive(request.withSession(4711)),
            Drop.COOKIE, () -> rig.receive(request.withCookie(1)),
            Drop.SOURCE, this::receiveFromAnotherPeer,
            Drop.LENGTH, () -> rig.receive(request.withLength(HELLO.length + 1)),
            Drop.STALE, () -> rig.receive(request.withIndex(0)),
            Drop.STATE, () -> rig.receive(Packet.release(session, FIRST + WINDOW)),
            Drop.NO_BUFFER, this::rejectWithoutMemory));

    {
        provocations.put(Drop.LATE_RESPONSE, this::respondLate);
        provocations.put(Drop.OVERLOAD, this::callTooOften);
    }

    private void receiveChanged(int at) {
        byte[] bytes = request.bytes();
        bytes[at] ^= 0x70;
        rig.receive(bytes);
    }

    private void receiveFromAnotherPeer() {
        rig.nic.receive(request.bytes(), PEER_QPN + 1, PEER_GID);
        rig.runLoop();
    }

    private void rejectWithoutMemory() {
        List<RegisteredBlock> taken = new ArrayList<>();
        for (RegisteredBlock block = rig.slab.tryTakeBlock(); block != null; block = rig.slab.tryTakeBlock()) {
            taken.add(block);
        }
        rig.receive(Packet.request(session, FIRST, 0xCAFE, HELLO));
        taken.forEach(RegisteredBlock::free);
    }

    private void respondLate() {
        rig.receive(Packet.request(session, FIRST, HOLD, HELLO));
        rig.receive(Packet.request(session, FIRST + WINDOW, ECHO, HELLO));
        EngineRig.respond(rig.held.getFirst(), HELLO);
        rig.runLoop();
    }

    private void callTooOften() {
        for (int i = 0; i < MAX_CALLS; i++) {
            rig.receive(Packet.request(session, FIRST + 2 + i, HOLD, HELLO));
        }
        rig.receive(request);
        rig.held.forEach(held -> EngineRig.respond(held, HELLO));
        rig.runLoop();
    }

    @ParameterizedTest
    @EnumSource(value = Drop.class, names = "INTERNAL", mode = EnumSource.Mode.EXCLUDE)
    @DisplayName("ME-01 each drop reason is counted by its own counter")
    void whenSomethingIsDroppedThenItsReasonIsCounted(Drop reason) {
        assertThat(provocations)
                .as("a method to make the engine drop something for that reason")
                .containsKey(reason);
        provocations.get(reason).run();

        assertThat(rig.dropped(reason)).isOne();
        assertThat(rig.droppedInAll()).isOne();
        rig.sent();
        rig.receive(Packet.request(session, FIRST + 1, ECHO, HELLO));
        assertThat(rig.onlySent().body()).as("a valid call afterwards").isEqualTo(HELLO);
        rig.close();
    }

    @Test
    @DisplayName("ME-01 an internal failure of the engine is counted, and the loop continues")
    void whenTheEngineFailsThenThatIsCounted() {
        rig.loop.context().submit(new EngineCommand() {
            @Override
            public void execute(long nowNanos) {
                throw new IllegalStateException("on purpose: a test caused the log lines above");
            }
        });
        rig.receive(request);

        assertThat(rig.dropped(Drop.INTERNAL)).isOne();
        assertThat(rig.onlySent().body()).isEqualTo(HELLO);
    }
}
