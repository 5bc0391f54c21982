package io.rdmarpc.benchmarks.peer;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import io.aeron.ExclusivePublication;
import io.aeron.FragmentAssembler;
import io.aeron.Publication;
import io.aeron.Subscription;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * One end of both directions. One thread sends and receives messages.
 *
 * <pre>
 *   byte 0       4       8
 *        slot    kind    bytes, or an order serialized by Kryo
 * </pre>
 */
final class AeronEnd implements AutoCloseable {

    static final int BYTES = 0;
    static final int ORDER = 1;

    /** Stream id of requests. */
    static final int THERE = 1001;

    /** Stream id of responses. */
    static final int BACK = 1002;

    private static final int HEAD_BYTES = 8;
    private static final int KIND = 4;
    private static final int FRAGMENTS = 16;
    private static final int ASSEMBLED_BYTES = 2 << 20;
    private static final int CYCLES_WITHOUT_CONDUCTOR = 1 << 10;
    private static final int ORDER_BYTES = 1 << 12;

    private final AeronNode node;
    private final ExclusivePublication out;
    private final Subscription in;
    private final FragmentAssembler assembler;
    private final boolean drivesPackets;
    private final UnsafeBuffer head = new UnsafeBuffer(new byte[HEAD_BYTES]);
    private final UnsafeBuffer body = new UnsafeBuffer(0, 0);
    private final Kryo kryo;
    private final Output output = new Output(ORDER_BYTES);
    private final Input input = new Input(new byte[ORDER_BYTES]);
    private int cycles;

    /** Receives messages. */
    interface Receiver {
        void receive(int slot, int kind, DirectBuffer buffer, int offset, int length);
    }

    AeronEnd(AeronNode node, OrderCodec codec, String out, int outStream, String in, int inStream, Receiver receiver) {
        this.node = node;
        this.drivesPackets = in.startsWith("aeron:udp");
        this.kryo = codec.newKryo();
        this.in = node.aeron().addSubscription(in, inStream);
        this.out = node.aeron().addExclusivePublication(out, outStream);
        this.assembler = new FragmentAssembler(
                (buffer, offset, length, header) -> receiver.receive(
                        buffer.getInt(offset),
                        buffer.getInt(offset + KIND),
                        buffer,
                        offset + HEAD_BYTES,
                        length - HEAD_BYTES),
                ASSEMBLED_BYTES);
    }

    /** Runs a duty cycle, which polls for messages. The conductor runs only in some duty cycles. */
    int doWork() {
        if (drivesPackets) {
            node.invokeDriver();
        }
        if (++cycles % CYCLES_WITHOUT_CONDUCTOR == 0) {
            node.invokeConductor();
        }
        return in.poll(assembler, FRAGMENTS);
    }

    boolean isConnected() {
        return out.isConnected() && in.isConnected();
    }

    boolean offer(int slot, byte[] bytes) {
        return offer(slot, BYTES, bytes, bytes.length);
    }

    boolean offer(int slot, Object order) {
        output.reset();
        kryo.writeObject(output, order);
        return offer(slot, ORDER, output.getBuffer(), output.position());
    }

    private boolean offer(int slot, int kind, byte[] bytes, int length) {
        head.putInt(0, slot);
        head.putInt(KIND, kind);
        body.wrap(bytes, 0, length);
        long result = out.offer(head, 0, HEAD_BYTES, body, 0, length);
        if (result == Publication.CLOSED || result == Publication.MAX_POSITION_EXCEEDED) {
            throw new IllegalStateException("Aeron rejected a message: " + Publication.errorString(result));
        }
        return result > 0;
    }

    <T> T order(Class<T> type, DirectBuffer buffer, int offset, int length) {
        buffer.getBytes(offset, input.getBuffer(), 0, length);
        input.setBuffer(input.getBuffer(), 0, length);
        return kryo.readObject(input, type);
    }

    static byte[] bytes(DirectBuffer buffer, int offset, int length) {
        byte[] bytes = new byte[length];
        buffer.getBytes(offset, bytes);
        return bytes;
    }

    @Override
    public void close() {
        node.close();
    }
}
