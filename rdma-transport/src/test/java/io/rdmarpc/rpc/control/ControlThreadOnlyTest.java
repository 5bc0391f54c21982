package io.rdmarpc.rpc.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.rpc.wire.ControlMessage;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** State of the control thread is used on that thread only, and state about peers does not grow without limit. */
class ControlThreadOnlyTest {

    @Test
    @DisplayName("CP-09 the identity of a peer is read on the control thread, not on the blocking executor")
    void whenASessionOpensThenItsPeerIsReadOnTheControlThread() {
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
