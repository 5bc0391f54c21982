package io.rdmarpc.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.wr.SendOpcode;
import io.rdmarpc.verbs.wr.SendRequests;
import io.rdmarpc.verbs.wr.WorkRequests;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Tests the memory that a device reads. Other tests compare the offsets with the C headers. */
@DisplayName("A chain of work requests")
class WorkRequestsOutTest {

    private static final int NEXT = 8;
    private static final int SG_LIST = 16;

    private final AtomicReference<MemorySegment> memory = new AtomicReference<>(MemorySegment.NULL);
    private final SendRequests requests = SendRequests.allocate(new SpyingArena(), 5, 2);

    /** Keeps a reference to its allocation. */
    private final class SpyingArena implements Arena {

        private final Arena arena = Arena.ofAuto();

        @Override
        public MemorySegment allocate(long bytes, long alignment) {
            memory.set(arena.allocate(bytes, alignment));
            return memory.get();
        }

        @Override
        public MemorySegment.Scope scope() {
            return arena.scope();
        }

        @Override
        public void close() {
            // The garbage collector frees the memory.
        }
    }

    private void fill(int index) {
        requests.set(index, 100 + index, SendOpcode.SEND, 0, 2);
        requests.setSge(index, 0, 0x1000 + index, 10 + index, 20);
        requests.setSge(index, 1, 0x2000 + index, 11 + index, 21);
    }

    private long word(long address) {
        return memory.get().get(ValueLayout.JAVA_LONG, address - memory.get().address());
    }

    @Test
    @DisplayName("is copied to the memory of the C structs when it is written out, but other requests are not")
    void whenWrittenOutThenMemoryHasTheWholeChain() {
        for (int index = 0; index < 5; index++) {
            fill(index);
        }
        requests.setNext(1, 2);
        requests.setNext(2, 4);
        requests.setNext(4, 0);
        requests.setNext(0, -1);

        long address = requests.writeOut(1);

        for (int index : new int[] {1, 2, 4, 0}) {
            assertThat(address).isEqualTo(requests.address(index));
            assertThat(word(address)).isEqualTo(100 + index);
            assertThat(word(word(address + SG_LIST))).isEqualTo(0x1000 + index);
            assertThat(word(word(address + SG_LIST) + WorkRequests.SGE_BYTES)).isEqualTo(0x2000 + index);
            address = word(address + NEXT);
        }
        assertThat(address).isZero();
        assertThat(word(requests.address(3))).isZero();
    }
}
