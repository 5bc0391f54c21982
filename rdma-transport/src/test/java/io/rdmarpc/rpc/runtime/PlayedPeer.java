package io.rdmarpc.rpc.runtime;

import io.rdmarpc.rpc.wire.ControlCodec;
import io.rdmarpc.rpc.wire.ControlFrames;
import io.rdmarpc.rpc.wire.ControlMessage;
import io.rdmarpc.rpc.wire.Id128;
import io.rdmarpc.rpc.wire.Nonce;
import io.rdmarpc.transport.UdEndpoint;
import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.attributes.PathMtu;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.Socket;
import java.net.SocketTimeoutException;

/** One end of a control connection that a test controls, valid or invalid. */
final class PlayedPeer implements AutoCloseable {

    static final Gid GID = Gid.of(Inet4Address.ofLiteral("127.0.0.1"));
    static final UdEndpoint ENDPOINT = new UdEndpoint(GID, 9, 77, 0x1234);
    static final ControlMessage.Hello HELLO = hello(ControlCodec.VERSION);
    static final ControlMessage.Welcome WELCOME = welcome(ControlCodec.VERSION);

    private final Socket socket;
    private final DataInputStream in;

    PlayedPeer(Socket socket) throws IOException {
        this.socket = socket;
        socket.setSoTimeout((int) Runtimes.LONG.toMillis());
        this.in = new DataInputStream(socket.getInputStream());
    }

    /** Connects a client that has not sent anything yet. */
    static PlayedPeer connect(int port) throws IOException {
        return new PlayedPeer(new Socket(Runtimes.LOOPBACK, port));
    }

    /** Connects a client that has received WELCOME. */
    static PlayedPeer welcomed(int port) throws IOException {
        PlayedPeer peer = connect(port);
        peer.send(HELLO);
        if (!(peer.read() instanceof ControlMessage.Welcome)) {
            throw new AssertionError("a valid HELLO was rejected");
        }
        return peer;
    }

    static ControlMessage.Hello hello(int version) {
        return new ControlMessage.Hello(version, 3_000, Id128.random(), new Nonce(new byte[Nonce.BYTES]));
    }

    static ControlMessage.Welcome welcome(int version) {
        return new ControlMessage.Welcome(
                version, 3_000, Id128.random(), new Nonce(new byte[Nonce.BYTES]), false, "soft");
    }

    static ControlMessage.Open open(int link) {
        return open(link, ENDPOINT, 8, PathMtu.MTU_4096, 1 << 20);
    }

    static ControlMessage.Open open(int link, UdEndpoint endpoint, int window, PathMtu mtu, int most) {
        return new ControlMessage.Open(link, Id128.random(), "soft", endpoint, 0, window, mtu, most, false);
    }

    static ControlMessage.Opened opened(int link, int window, UdEndpoint endpoint) {
        return new ControlMessage.Opened(link, endpoint, 1, 2, window, PathMtu.MTU_1024, 1 << 20);
    }

    void send(ControlMessage message) throws IOException {
        send(ControlCodec.encode(message));
    }

    void send(byte... bytes) throws IOException {
        send(bytes, bytes.length);
    }

    void send(byte[] bytes, int length) throws IOException {
        socket.getOutputStream().write(bytes, 0, length);
    }

    ControlMessage read() throws IOException {
        return ControlFrames.readNext(in);
    }

    /** Reads the next message, including heartbeats. */
    ControlMessage readAny() throws IOException {
        return ControlFrames.read(in);
    }

    ControlMessage exchange(ControlMessage message) throws IOException {
        send(message);
        return read();
    }

    /** As a server: reads messages up to one of a type. */
    <T extends ControlMessage> T await(Class<T> kind) throws IOException {
        ControlMessage message = read();
        while (!kind.isInstance(message)) {
            message = read();
        }
        return kind.cast(message);
    }

    /** Waits until the other end has closed; its remaining messages are ignored. */
    void awaitClosed(String what) {
        try {
            while (socket.getInputStream().read() >= 0) {
                // Heartbeats and the last message.
            }
        } catch (SocketTimeoutException e) {
            throw new AssertionError(what, e);
        } catch (IOException e) {
            // A reset also closes the connection.
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
