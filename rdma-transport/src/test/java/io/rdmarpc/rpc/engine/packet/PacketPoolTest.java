package io.rdmarpc.rpc.engine.packet;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The pool of free packets")
class PacketPoolTest {

    private static final int MANY = 200;

    private final PacketPool pool = new PacketPool();

    @Test
    void shouldReturnTheLastOneFirst() {
        OutgoingPacket first = pool.take();
        OutgoingPacket second = pool.take();
        pool.put(first);
        pool.put(second);
        assertThat(pool.take()).isSameAs(second);
        assertThat(pool.take()).isSameAs(first);
    }

    @Test
    void shouldReturnNoneTwice() {
        List<OutgoingPacket> taken = take(MANY);
        taken.forEach(pool::put);
        Set<OutgoingPacket> again = Collections.newSetFromMap(new IdentityHashMap<>());
        again.addAll(take(MANY));
        assertThat(again).hasSize(MANY).containsAll(taken);
        assertThat(taken).doesNotContain(pool.take());
    }

    private List<OutgoingPacket> take(int count) {
        List<OutgoingPacket> taken = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            taken.add(pool.take());
        }
        return taken;
    }
}
