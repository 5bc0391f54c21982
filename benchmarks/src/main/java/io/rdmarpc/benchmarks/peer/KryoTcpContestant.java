package io.rdmarpc.benchmarks.peer;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import io.rdmarpc.benchmarks.load.CallMode;
import io.rdmarpc.benchmarks.load.Callers;
import io.rdmarpc.benchmarks.load.Contestant;
import io.rdmarpc.benchmarks.load.Payload;
import io.rdmarpc.benchmarks.load.Pipeline;
import io.rdmarpc.benchmarks.load.SentBytes;
import io.rdmarpc.benchmarks.order.Order;
import io.rdmarpc.benchmarks.order.OrderDesk;
import io.rdmarpc.benchmarks.order.OrderRequest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Minimal code that a developer could write: Kryo over one blocking TCP connection. It has no deadlines, no error
 * handling and no reconnection. Its latency is therefore a lower bound, and it is no alternative for users.
 *
 * <pre>
 *   slot varint, then an order, or bytes with their length, by Kryo
 * </pre>
 */
record KryoTcpContestant() implements Contestant {

    private static final int BUFFER_BYTES = 64 << 10;
    private static final int NO_ORDER = 0;
    private static final int AN_ORDER = 1;

    /** A connection with its buffers. One thread writes, another one reads. */
    private static final class Connection implements AutoCloseable {

        private final Socket socket;
        private final Input in;
        private final Output out;
        private final Kryo reader = OrderCodec.STOCK.newKryo();
        private final Kryo writer = OrderCodec.STOCK.newKryo();

        Connection(Socket socket) throws IOException {
            this.socket = socket;
            socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
            this.in = new Input(socket.getInputStream(), BUFFER_BYTES);
            this.out = new Output(socket.getOutputStream(), BUFFER_BYTES);
        }

        void write(int slot, Object order) {
            out.writeVarInt(slot, true);
            out.writeByte(AN_ORDER);
            writer.writeObject(out, order);
        }

        void write(int slot, byte[] bytes) {
            out.writeVarInt(slot, true);
            out.writeByte(NO_ORDER);
            out.writeVarInt(bytes.length, true);
            out.writeBytes(bytes);
        }

        byte[] readBytes() {
            return in.readBytes(in.readVarInt(true));
        }

        /** Returns whether more data can be read without blocking. */
        boolean hasMore() throws IOException {
            return in.limit() > in.position() || in.available() > 0;
        }

        @Override
        public void close() {
            try {
                socket.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    @Override
    public CallMode mode(Payload payload, Callers callers) {
        return new CallMode(
                payload.isOrder() ? "typed, Kryo with " + OrderCodec.STOCK.text() + " serializers" : "byte[]",
                "inline on the connection's thread",
                "none: blocking reads");
    }

    @Override
    public Server serve() throws IOException {
        ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Thread.ofPlatform().daemon().name("kryo-server").start(() -> respond(listener));
        return new Server() {
            @Override
            public String address() {
                return Integer.toString(listener.getLocalPort());
            }

            @Override
            public void close() {
                // The listener and its thread end with the process.
            }
        };
    }

    /** Responds until the client disconnects. Flushes once for requests that arrived together. */
    private static void respond(ServerSocket listener) {
        try (listener;
                Connection connection = new Connection(listener.accept())) {
            while (!connection.in.end()) {
                int slot = connection.in.readVarInt(true);
                if (connection.in.readByte() == AN_ORDER) {
                    connection.write(
                            slot, OrderDesk.accept(connection.reader.readObject(connection.in, OrderRequest.class)));
                } else {
                    connection.write(slot, connection.readBytes());
                }
                if (!connection.hasMore()) {
                    connection.out.flush();
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public Client connect(String address) throws IOException {
        return new KryoClient(new Connection(new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(address))));
    }

    private record KryoClient(Connection connection) implements Client {

        /** Creates the only caller, which writes and reads on its own thread. */
        @Override
        public Caller caller(Payload payload) {
            Calls calls = new Calls(connection, payload, 1);
            return () -> {
                calls.write(0);
                connection.out.flush();
                calls.read();
            };
        }

        @Override
        public Pipeline pipeline(Payload payload, int outstanding, Pipeline.Ends ends) {
            return new KryoPipeline(new Calls(connection, payload, outstanding), outstanding, ends);
        }

        @Override
        public void close() {
            connection.close();
        }
    }

    /** The requests and expected responses of the slots. */
    private static final class Calls {

        private final Connection connection;
        private final boolean orders;
        private final SentBytes sent;

        Calls(Connection connection, Payload payload, int outstanding) {
            this.connection = connection;
            this.orders = payload.isOrder();
            this.sent = new SentBytes(payload, outstanding);
        }

        void write(int slot) {
            if (orders) {
                connection.write(slot, OrderDesk.REQUEST);
            } else {
                connection.write(slot, sent.next(slot));
            }
        }

        int read() {
            int slot = connection.in.readVarInt(true);
            if (connection.in.readByte() == AN_ORDER) {
                OrderDesk.check(connection.reader.readObject(connection.in, Order.class));
            } else {
                sent.check(slot, connection.readBytes());
            }
            return slot;
        }
    }

    /** Asynchronous calls: the client's thread writes all waiting requests with one flush, another thread reads. */
    private static final class KryoPipeline implements Pipeline {

        private final Calls calls;
        private final BlockingQueue<Integer> toWrite;
        private final Pipeline.Ends ends;
        private final Semaphore toRead = new Semaphore(0);
        private final Thread reader;

        KryoPipeline(Calls calls, int outstanding, Pipeline.Ends ends) {
            this.calls = calls;
            this.toWrite = new ArrayBlockingQueue<>(outstanding);
            this.ends = ends;
            this.reader = Thread.ofPlatform().daemon().name("kryo-reader").start(this::readAll);
        }

        @Override
        public void start(int slot) {
            toWrite.add(slot);
        }

        @Override
        public boolean isCallerDriven() {
            return true;
        }

        @Override
        public void doWork() throws InterruptedException {
            Integer slot = toWrite.poll(1, TimeUnit.MILLISECONDS);
            for (; slot != null; slot = toWrite.poll()) {
                calls.write(slot);
                toRead.release();
            }
            calls.connection.out.flush();
        }

        private void readAll() {
            try {
                while (true) {
                    toRead.acquire();
                    ends.ended(calls.read());
                }
            } catch (InterruptedException e) {
                // The pipeline was closed, so there is nothing to read.
            } catch (RuntimeException e) {
                ends.failed(e);
            }
        }

        @Override
        public void close() {
            reader.interrupt();
        }
    }
}
