package io.rdmarpc.rpc.control;

import io.rdmarpc.rpc.wire.ControlCodec;
import io.rdmarpc.rpc.wire.ControlMessage;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;

/** A TCP connection that carries control messages. One reader; any thread may send. */
final class ControlConnection implements AutoCloseable {

    private final Socket socket;
    private final DataInputStream in;
    private final OutputStream out;
    private final ReentrantLock sending = new ReentrantLock();

    ControlConnection(Socket socket) throws IOException {
        this.socket = socket;
        socket.setTcpNoDelay(true);
        this.in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
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

    /** Silence for longer than this ends {@link #read} with an exception. */
    void silenceLimit(Duration limit) throws IOException {
        socket.setSoTimeout(Math.toIntExact(limit.toMillis()));
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
