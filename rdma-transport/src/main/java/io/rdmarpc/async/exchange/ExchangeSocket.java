package io.rdmarpc.async.exchange;

import io.rdmarpc.async.error.RdmaExchangeException;
import io.rdmarpc.async.error.RdmaExchangeException.Reason;
import io.rdmarpc.verbs.PeerText;
import io.rdmarpc.verbs.connect.QueuePairEndpoint;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The TCP connection over which two nodes exchange their endpoints. It stays open to detect the end of the peer's
 * process.
 *
 * <pre>
 *   connecting side                       listening side
 *     HELLO    own endpoint       --&gt;
 *                                  &lt;--    WELCOME  own endpoint (connected), or REJECTION with a reason
 *     READY    (connected)        --&gt;
 *     ...                                 ...
 *     GOODBYE  from the side that ends first
 *
 *   message, big-endian
 *   byte 0      4          5       6        8
 *        magic  version 1  kind    length   body
 *   magic "RDMX"; HELLO, WELCOME: {@link QueuePairEndpoint}; REJECTION: UTF-8; READY, GOODBYE: no body
 * </pre>
 */
public final class ExchangeSocket implements AutoCloseable {

    public static final int HELLO = 1;
    public static final int WELCOME = 2;
    public static final int REJECTION = 3;
    public static final int READY = 4;
    static final int GOODBYE = 5;

    public static final int MAGIC = 0x52444D58;
    public static final int VERSION = 1;
    public static final int HEAD_BYTES = 8;
    static final int MAX_BODY_BYTES = 512;

    private final Socket socket;
    private final String peer;
    private final long deadline;

    /**
     * Takes ownership of a connected socket.
     *
     * @param socket the socket; closed with this object
     * @param limit maximum duration of the whole exchange
     */
    public ExchangeSocket(Socket socket, Duration limit) {
        this.socket = socket;
        this.peer = String.valueOf(socket.getRemoteSocketAddress());
        this.deadline = System.nanoTime() + limit.toNanos();
    }

    public static ExchangeSocket connect(InetSocketAddress address, Duration limit) {
        Socket socket = new Socket();
        try {
            socket.connect(address, (int) Math.max(1, Math.min(Integer.MAX_VALUE, limit.toMillis())));
            socket.setTcpNoDelay(true);
            socket.setKeepAlive(true);
            return new ExchangeSocket(socket, limit);
        } catch (IOException | IllegalArgumentException e) {
            closeQuietly(socket);
            boolean late = e instanceof SocketTimeoutException;
            throw new RdmaExchangeException(
                    late ? Reason.TIMED_OUT : Reason.UNREACHABLE,
                    "Connecting to " + address + " over TCP failed: " + e.getMessage()
                            + ". Check that the peer listens there and that no firewall blocks it",
                    e);
        }
    }

    public InetAddress ownAddress() {
        return socket.getLocalAddress();
    }

    public void send(int kind, byte[] body) {
        ByteBuffer message = ByteBuffer.allocate(HEAD_BYTES + body.length)
                .putInt(MAGIC)
                .put((byte) VERSION)
                .put((byte) kind)
                .putShort((short) body.length)
                .put(body);
        try {
            socket.getOutputStream().write(message.array());
        } catch (IOException e) {
            throw new RdmaExchangeException(
                    Reason.CLOSED, "Sending to " + peer + " failed: " + e.getMessage() + ". Connect again", e);
        }
    }

    public void reject(String why) {
        byte[] text = why.getBytes(StandardCharsets.UTF_8);
        send(REJECTION, Arrays.copyOf(text, Math.min(text.length, MAX_BODY_BYTES)));
    }

    /** Waits for a message of this kind until the deadline of the exchange; returns its body. */
    public byte[] receive(int kind) {
        ByteBuffer head = read(HEAD_BYTES);
        int magic = head.getInt();
        int version = head.get();
        int actualKind = head.get();
        int length = Short.toUnsignedInt(head.getShort());
        if (magic != MAGIC || length > MAX_BODY_BYTES) {
            throw new RdmaExchangeException(
                    Reason.BAD_BYTES,
                    peer + " sent bytes that are not a message of this exchange. Check that the port is an "
                            + "RdmaListener's",
                    null);
        }
        if (version != VERSION) {
            throw new RdmaExchangeException(
                    Reason.VERSION,
                    peer + " uses version " + version + " of the exchange, this side version " + VERSION
                            + ". Use the same release on both",
                    null);
        }
        byte[] body = read(length).array();
        if (actualKind == REJECTION) {
            throw new RdmaExchangeException(
                    Reason.REJECTED,
                    peer + " rejected the connection: " + PeerText.detail(new String(body, StandardCharsets.UTF_8)),
                    null);
        }
        if (actualKind != kind) {
            throw new RdmaExchangeException(
                    Reason.BAD_BYTES, peer + " sent message kind " + actualKind + " instead of " + kind, null);
        }
        return body;
    }

    /** Waits for a message whose body is an endpoint; returns the endpoint. */
    public QueuePairEndpoint receiveEndpoint(int kind) {
        byte[] body = receive(kind);
        try {
            return QueuePairEndpoint.decode(body);
        } catch (IllegalArgumentException e) {
            throw new RdmaExchangeException(Reason.BAD_BYTES, peer + " sent an invalid endpoint: " + e.getMessage(), e);
        }
    }

    private ByteBuffer read(int bytes) {
        ByteBuffer into = ByteBuffer.allocate(bytes);
        try {
            while (into.hasRemaining()) {
                socket.setSoTimeout(remainingMillis());
                int count = socket.getInputStream().read(into.array(), into.position(), into.remaining());
                if (count < 0) {
                    throw new EOFException("end of stream");
                }
                into.position(into.position() + count);
            }
            return into.flip();
        } catch (SocketTimeoutException e) {
            throw new RdmaExchangeException(
                    Reason.TIMED_OUT,
                    peer + " did not respond in time. Check that its process runs and is not overloaded",
                    e);
        } catch (IOException e) {
            throw new RdmaExchangeException(Reason.CLOSED, peer + " ended the exchange: " + e.getMessage(), e);
        }
    }

    private int remainingMillis() throws SocketTimeoutException {
        long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        if (left <= 0) {
            throw new SocketTimeoutException("the exchange took too long");
        }
        return (int) Math.min(Integer.MAX_VALUE, left);
    }

    /** Waits without a time limit for a message after the exchange; returns its kind, or -1 if the connection ended. */
    int awaitLast() {
        try {
            socket.setSoTimeout(0);
            byte[] head = new byte[HEAD_BYTES];
            new DataInputStream(socket.getInputStream()).readFully(head);
            ByteBuffer message = ByteBuffer.wrap(head);
            return message.getInt() == MAGIC && message.get() == VERSION ? message.get() : 0;
        } catch (IOException e) {
            return -1;
        }
    }

    public String peer() {
        return peer;
    }

    @Override
    public void close() {
        closeQuietly(socket);
    }

    private static void closeQuietly(@Nullable Socket socket) {
        try {
            if (socket != null) {
                socket.close();
            }
        } catch (IOException e) {
            // A failed close leaves no resource that a retry could free.
        }
    }
}
