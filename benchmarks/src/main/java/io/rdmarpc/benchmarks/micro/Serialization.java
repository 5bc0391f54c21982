package io.rdmarpc.benchmarks.micro;

import io.rdmarpc.benchmarks.order.OrderDesk;
import io.rdmarpc.benchmarks.peer.OrderCosts;
import io.rdmarpc.benchmarks.peer.PacketMemory;
import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.service.codec.MethodCodec;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Serialization of a typed order into a message buffer of registered memory, and deserialization. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class Serialization {

    private final Object[] arguments = {OrderDesk.REQUEST};
    private final MethodCodec codec = OrderCosts.codec();
    private final PacketMemory memory = PacketMemory.open();
    private OrderCosts.Arrived arrived = new OrderCosts.Arrived(codec.encodeArguments(memory, arguments));

    /** Called by JMH. */
    public Serialization() {}

    /** Writes the message that the benchmark reads. */
    @Setup
    public void write() {
        arrived = new OrderCosts.Arrived(codec.encodeArguments(memory, arguments));
    }

    /** Releases the memory. */
    @TearDown
    public void close() {
        memory.close();
    }

    /**
     * Serializes an order request.
     *
     * @return the length in bytes
     */
    @Benchmark
    public int orderIntoMessageBuffer() {
        try (MessageBuffer message = codec.encodeArguments(memory, arguments)) {
            return message.length();
        }
    }

    /**
     * Deserializes an order request.
     *
     * @return the order
     */
    @Benchmark
    public Object orderOutOfMessageBuffer() {
        return codec.decodeArguments(arrived);
    }
}
