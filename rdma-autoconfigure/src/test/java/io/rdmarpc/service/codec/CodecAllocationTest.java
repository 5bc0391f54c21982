package io.rdmarpc.service.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.annotation.RdmaService;
import io.rdmarpc.memory.OneBuffer;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Writing a value allocates a constant amount, regardless of its size. */
class CodecAllocationTest {

    enum Kind {
        ONE,
        TWO
    }

    record Line(String article, int quantity, long cents, double weight, boolean gift, Kind kind) {}

    record Order(String id, List<Line> lines) {}

    @RdmaService
    interface Orders {
        void place(Order order);
    }

    private final MethodCodec codec = new CodecFixture(Orders.class).method("place");
    private final OneBuffer memory = new OneBuffer();

    private static Order order(int lines) {
        List<Line> all = new ArrayList<>();
        for (int i = 0; i < lines; i++) {
            all.add(new Line("article " + i, i, 1L << (i % 60), i / 3.0, i % 2 == 0, Kind.TWO));
        }
        return new Order("order " + lines, all);
    }

    private static long allocated() {
        return ((com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
    }

    /** Returns the minimum of several rounds, which excludes allocations of the JIT compiler. */
    private long bytesPerCall(Order order) {
        int calls = 2_000;
        Object[] arguments = {order};
        long least = Long.MAX_VALUE;
        for (int round = 0; round < 20; round++) {
            long before = allocated();
            for (int i = 0; i < calls; i++) {
                codec.encodeArguments(memory, arguments).close();
            }
            least = Math.min(least, (allocated() - before) / calls);
        }
        return least;
    }

    @Test
    void shouldAllocateOnlyTheHandleOfTheMessage() {
        long few = bytesPerCall(order(2));
        long many = bytesPerCall(order(60));
        assertThat(few).as("the handle of a block and its view").isLessThan(256);
        assertThat(many - few)
                .as("an iterator, unless the compiler eliminates it")
                .isLessThan(64);
    }
}
