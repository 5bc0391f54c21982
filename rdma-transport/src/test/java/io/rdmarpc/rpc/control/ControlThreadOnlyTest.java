package io.rdmarpc.rpc.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.rpc.wire.ControlMessage;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What belongs to the control thread is touched nowhere else, and what it keeps of peers does not grow for ever. */
class ControlThreadOnlyTest {

    @Test
    @DisplayName("CP-09 who a peer is, is asked on the control thread, not where verbs block")
    void whenASessionIsMadeThenItsPeerIsAskedForOnTheControlThread() {
        ControlRig rig = new ControlRig();
        MemoryWire wire = new MemoryWire();
        List<Boolean> blocking = new ArrayList<>();
        wire.whenAsked = () -> blocking.add(rig.isBlocking());
        ServerConnection client = rig.welcomed(wire);
        rig.say(client, ControlRig.open(1));

        assertThat(wire.takeSent()).singleElement().isInstanceOf(ControlMessage.Opened.class);
        assertThat(blocking).isNotEmpty().containsOnly(false);
    }

    @Test
    void whenServersAreNoLongerAvoidedThenTheyAreForgotten() {
        Fallback fallback = new Fallback(null);
        long now = Long.MAX_VALUE - Fallback.AVOIDED.toNanos() / 2;
        for (int port = 1; port <= 100; port++) {
            fallback.avoid(InetSocketAddress.createUnresolved("server", port), now);
        }
        assertThat(fallback.avoided()).isEqualTo(100);

        now += Fallback.AVOIDED.toNanos();
        InetSocketAddress last = InetSocketAddress.createUnresolved("server", 101);
        fallback.avoid(last, now);

        assertThat(fallback.avoided()).isOne();
        assertThat(fallback.isAvoided(last, now)).isTrue();
    }
}
