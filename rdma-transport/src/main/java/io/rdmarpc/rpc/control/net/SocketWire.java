package io.rdmarpc.rpc.control.net;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.security.cert.Certificate;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLEngine;
import org.jspecify.annotations.Nullable;

/**
 * A TCP connection on the control thread.
 *
 * <pre>
 *   connecting -> open -> closing: send waiting bytes, shut down the output, await the peer's end -> closed
 * </pre>
 *
 * A peer that neither reads nor closes cannot keep resources. The waiting bytes are limited, and so are the time and
 * the number of closing connections.
 */
public final class SocketWire implements ControlWire, ControlLoop.Ready, TlsFilter.Ends {

    /** More than two messages of maximum length. A peer for which so many bytes wait does not read. */
    static final int MAX_WAITING_BYTES = 4 << 20;

    /** If more bytes wait when the wire is closed, they are dropped. */
    private static final int MAX_LINGERING_BYTES = 64 << 10;

    private static final Duration CLOSING_LIMIT = Duration.ofSeconds(1);

    private final ControlLoop loop;
    private final SocketChannel channel;
    private final InetSocketAddress remote;
    private final ArrayDeque<ByteBuffer> waiting = new ArrayDeque<>();
    private final SelectionKey key;
    private @Nullable Owner owner;
    private @Nullable TlsFilter tls;
    private long waitingBytes;
    private boolean closing;
    private boolean outputShut;
    private boolean lingers;
    private boolean received;

    private SocketWire(ControlLoop loop, SocketChannel channel, InetSocketAddress remote, int interest)
            throws IOException {
        this.loop = loop;
        this.channel = channel;
        this.remote = remote;
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        this.key = loop.register(channel, interest, this);
    }

    /** Starts to connect; the owner is notified of the result. */
    public static SocketWire connect(
            ControlLoop loop, InetSocketAddress to, Owner owner, @Nullable SSLEngine tls, Executor longTasks)
            throws IOException {
        SocketChannel channel = SocketChannel.open();
        try {
            SocketWire wire = new SocketWire(loop, channel, to, SelectionKey.OP_CONNECT);
            wire.owner = owner;
            wire.secure(tls, longTasks);
            if (channel.connect(to)) {
                // A connection within this host may complete at once. The owner is notified later, after this method
                // has returned the wire.
                loop.execute(wire::connected);
            }
            return wire;
        } catch (IOException | RuntimeException | Error e) {
            channel.close();
            throw e;
        }
    }

    /** Wraps an accepted connection. */
    public static SocketWire accepted(ControlLoop loop, SocketChannel channel) throws IOException {
        return new SocketWire(loop, channel, (InetSocketAddress) channel.getRemoteAddress(), SelectionKey.OP_READ);
    }

    /** Adds TLS between the socket and the owner; call it before {@link #begin}. */
    public void secure(@Nullable SSLEngine engine, Executor longTasks) {
        if (engine != null) {
            tls = new TlsFilter(engine, longTasks, loop, this);
        }
    }

    /** Starts an accepted connection; the owner is notified when it can send. */
    public void begin(Owner newOwner) {
        owner = newOwner;
        begin();
    }

    private void begin() {
        TlsFilter filter = tls;
        if (filter == null) {
            secured();
        } else {
            filter.begin();
        }
    }

    @Override
    public void secured() {
        Owner current = owner;
        if (current != null) {
            current.onConnected();
        }
    }

    private void connected() {
        if (key.isValid() && (key.interestOps() & SelectionKey.OP_CONNECT) != 0) {
            key.interestOps(SelectionKey.OP_READ);
            begin();
        }
    }

    @Override
    public void onReady() throws IOException {
        if (key.isConnectable() && channel.finishConnect()) {
            connected();
        }
        if (key.isValid() && key.isReadable()) {
            read();
        }
        if (key.isValid() && key.isWritable()) {
            write();
        }
    }

    private void read() throws IOException {
        ByteBuffer buffer = loop.readBuffer();
        int count = channel.read(buffer);
        received |= count > 0;
        TlsFilter filter = tls;
        if (count < 0) {
            hangUp("the peer closed the control connection");
        } else if (owner != null && filter != null) {
            filter.received(buffer.flip());
        } else {
            deliver(buffer.flip());
        }
    }

    @Override
    public void deliver(ByteBuffer bytes) {
        Owner current = owner;
        if (current != null) {
            current.onBytes(bytes);
        }
    }

    @Override
    public void broken(String reason) {
        // The TLS alert is sent before the socket closes.
        Owner current = owner;
        close();
        if (current != null) {
            current.onTlsFailed(reason);
        }
    }

    @Override
    public void send(ByteBuffer bytes) {
        TlsFilter filter = tls;
        if (filter == null) {
            sendEncrypted(bytes);
        } else {
            filter.send(bytes);
        }
    }

    @Override
    public void sendEncrypted(ByteBuffer bytes) {
        if (closing) {
            return;
        }
        if (waitingBytes + bytes.remaining() > MAX_WAITING_BYTES) {
            hangUp("the peer does not read: " + waitingBytes + " bytes wait to be sent");
            return;
        }
        waitingBytes += bytes.remaining();
        waiting.addLast(bytes);
        tryWrite();
    }

    private void tryWrite() {
        try {
            if (channel.isConnected()) {
                write();
            }
        } catch (IOException | CancelledKeyException e) {
            onFailure(e);
        }
    }

    private void write() throws IOException {
        ByteBuffer first = waiting.peekFirst();
        while (first != null) {
            waitingBytes -= channel.write(first);
            if (first.hasRemaining()) {
                key.interestOps(key.interestOps() | SelectionKey.OP_WRITE);
                return;
            }
            waiting.removeFirst();
            first = waiting.peekFirst();
        }
        if (closing) {
            shutOutput();
        } else {
            key.interestOps(key.interestOps() & ~SelectionKey.OP_WRITE);
        }
    }

    /**
     * Shuts down the output only, so that the last message arrives even if the peer has sent bytes that this side has
     * not read.
     */
    private void shutOutput() throws IOException {
        if (!outputShut) {
            outputShut = true;
            channel.shutdownOutput();
            key.interestOps(SelectionKey.OP_READ);
        }
    }

    @Override
    public void close() {
        owner = null;
        if (closing) {
            return;
        }
        TlsFilter filter = tls;
        if (filter != null && channel.isConnected()) {
            filter.close();
        }
        closing = true;
        if (!channel.isConnected()) {
            closeNow();
            return;
        }
        lingers = waitingBytes <= MAX_LINGERING_BYTES && loop.mayLinger();
        tryWrite();
        if (!lingers) {
            closeNow();
        } else if (channel.isOpen()) {
            loop.after(CLOSING_LIMIT, this::closeNow);
        }
    }

    /** Closes without a last message. */
    private void hangUp(String reason) {
        Owner current = owner;
        owner = null;
        closing = true;
        closeNow();
        if (current != null) {
            current.onWireEnd(reason);
        }
    }

    private void closeNow() {
        if (lingers) {
            lingers = false;
            loop.lingerEnded();
        }
        waiting.clear();
        waitingBytes = 0;
        ControlLoop.closeQuietly(channel);
    }

    @Override
    public void onFailure(Throwable why) {
        if (!(why instanceof IOException || why instanceof CancelledKeyException)) {
            ControlLoop.LOG.log(
                    System.Logger.Level.ERROR, "a control connection failed with an unexpected exception", why);
        }
        hangUp("the control connection failed: " + why.getMessage());
    }

    @Override
    public @Nullable InetAddress localAddress() {
        return channel.socket().getLocalAddress();
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return remote;
    }

    @Override
    public long waitingBytes() {
        return waitingBytes;
    }

    @Override
    public boolean hasReceived() {
        return received;
    }

    @Override
    public List<Certificate> peerCertificates() {
        TlsFilter filter = tls;
        return filter == null ? List.of() : filter.peerCertificates();
    }
}
