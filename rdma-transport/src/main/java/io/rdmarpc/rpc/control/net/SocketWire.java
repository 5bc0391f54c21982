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
 *   connecting -> open -> closing: what waits is sent, then the output is shut, the peer's end awaited -> closed
 * </pre>
 *
 * A peer that does not read, or does not close, does not keep it: what waits is bounded, and so are the time and the number
 * of those that are closing.
 */
public final class SocketWire implements ControlWire, ControlLoop.Ready, TlsFilter.Ends {

    /** Two of the longest messages and more; whoever lets that wait does not read. */
    static final int MOST_WAITING_BYTES = 4 << 20;

    /** More that waits to be sent is dropped when the wire is closed. */
    private static final int MOST_LINGERING_BYTES = 64 << 10;

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

    /** Begins to connect; the owner hears of the outcome. */
    public static SocketWire connect(
            ControlLoop loop, InetSocketAddress to, Owner owner, @Nullable SSLEngine tls, Executor longTasks)
            throws IOException {
        SocketChannel channel = SocketChannel.open();
        try {
            SocketWire wire = new SocketWire(loop, channel, to, SelectionKey.OP_CONNECT);
            wire.owner = owner;
            wire.secure(tls, longTasks);
            if (channel.connect(to)) {
                // At once, on this host: tell the owner when it knows its wire.
                loop.execute(wire::connected);
            }
            return wire;
        } catch (IOException | RuntimeException | Error e) {
            channel.close();
            throw e;
        }
    }

    /** Takes a connection that came in. */
    public static SocketWire accepted(ControlLoop loop, SocketChannel channel) throws IOException {
        return new SocketWire(loop, channel, (InetSocketAddress) channel.getRemoteAddress(), SelectionKey.OP_READ);
    }

    /** Puts TLS between the socket and the owner; before {@link #begin}. */
    public void secure(@Nullable SSLEngine engine, Executor longTasks) {
        if (engine != null) {
            tls = new TlsFilter(engine, longTasks, loop, this);
        }
    }

    /** An accepted connection starts: the owner hears when it can send. */
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
        Owner told = owner;
        if (told != null) {
            told.onConnected();
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
        Owner told = owner;
        if (told != null) {
            told.onBytes(bytes);
        }
    }

    @Override
    public void broken(String reason) {
        // The alert goes out, then the socket closes.
        Owner told = owner;
        close();
        if (told != null) {
            told.onTlsFailed(reason);
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
        if (waitingBytes + bytes.remaining() > MOST_WAITING_BYTES) {
            hangUp("the peer does not read: " + waitingBytes + " bytes wait for it");
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

    /** The last words arrive even when the peer has sent something that nobody has read. */
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
        lingers = waitingBytes <= MOST_LINGERING_BYTES && loop.mayLinger();
        tryWrite();
        if (!lingers) {
            closeNow();
        } else if (channel.isOpen()) {
            loop.after(CLOSING_LIMIT, this::closeNow);
        }
    }

    /** Without last words. */
    private void hangUp(String reason) {
        Owner told = owner;
        owner = null;
        closing = true;
        closeNow();
        if (told != null) {
            told.onWireEnd(reason);
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
            ControlLoop.LOG.log(System.Logger.Level.ERROR, "a control connection failed inside", why);
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
