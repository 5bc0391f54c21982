package io.rdmarpc.rpc.control;

import io.rdmarpc.rpc.wire.ControlCodec;
import io.rdmarpc.rpc.wire.ControlMessage;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/** A TCP connection that carries control messages. One reader; any thread may send. */
final class ControlConnection implements AutoCloseable {

    private static final long NO_DEADLINE = Long.MIN_VALUE;

    private final Socket socket;
    private final DataInputStream in;
    private final OutputStream out;
    private final ReentrantLock sending = new ReentrantLock();
    // Of the one reader.
    private Duration readLimit = Duration.ofSeconds(1);
    private long deadline = NO_DEADLINE;

    ControlConnection(Socket socket) throws IOException {
        this.socket = socket;
        socket.setTcpNoDelay(true);
        this.in = new DataInputStream(new BufferedInputStream(new TimedInput(socket.getInputStream())));
        this.out = socket.getOutputStream();
    }

    void send(ControlMessage message) throws IOException {
        byte[] frame = ControlCodec.encode(message);
        sending.lock();
        try {
            out.write(frame);
            out.flush();
        } finally {
            sending.unlock();
        }
    }

    /** Sends when that is still possible: for goodbyes. */
    void trySend(ControlMessage message) {
        try {
            send(message);
        } catch (IOException e) {
            System.getLogger(ControlConnection.class.getName())
                    .log(System.Logger.Level.DEBUG, "the peer is gone: {0} not sent", message);
        }
    }

    ControlMessage read() throws IOException {
        return ControlCodec.read(in);
    }

    /** From now on silence for longer than this ends {@link #read} with an exception. */
    void silenceLimit(Duration limit) {
        readLimit = limit;
        deadline = NO_DEADLINE;
    }

    /** For the handshake: all reads together may take that long, however the peer divides its bytes. */
    void handshakeLimit(Duration limit) {
        readLimit = limit;
        deadline = System.nanoTime() + limit.toNanos();
    }

    /** Gives every read of the socket the time that is left. */
    private final class TimedInput extends FilterInputStream {

        TimedInput(InputStream in) {
            super(in);
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            long left = readLimit.toMillis();
            if (deadline != NO_DEADLINE) {
                left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            }
            if (left <= 0) {
                throw new SocketTimeoutException("the handshake took longer than " + readLimit.toMillis() + " ms");
            }
            socket.setSoTimeout(Math.toIntExact(left));
            return super.read(bytes, offset, length);
        }
    }

    InetAddress localAddress() {
        return socket.getLocalAddress();
    }

    String peer() {
        InetSocketAddress remote = (InetSocketAddress) socket.getRemoteSocketAddress();
        return remote.getAddress().getHostAddress() + ":" + remote.getPort();
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new IllegalStateException("a socket could not be closed", e);
        }
    }
}
