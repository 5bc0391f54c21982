package io.rdmarpc.rpc.control.net;

import io.rdmarpc.verbs.PeerText;
import java.nio.ByteBuffer;
import java.security.cert.Certificate;
import java.util.List;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;

/**
 * TLS between a socket and its owner. Control thread only. Delegated tasks of the engine, for example signatures and
 * certificate checks, run on an executor.
 */
final class TlsFilter {

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
    /** Limit of the bytes that wait while the peer's certificate is checked. A peer sends less in that time. */
    private static final int MAX_WAITING_BYTES = 256 << 10;

    private final SSLEngine engine;
    private final Executor longTasks;
    private final ControlLoop loop;
    private final Ends ends;
    private ByteBuffer encrypted;
    private ByteBuffer plain;
    private boolean taskRuns;
    private boolean secured;
    private boolean closed;

    /** The two sides of the filter. */
    interface Ends {

        /** Sends to the socket, which owns the buffer from now on. */
        void sendEncrypted(ByteBuffer bytes);

        /** Delivers to the owner; the buffer is reused. */
        void deliver(ByteBuffer bytes);

        /** Called when the handshake is complete: the trust manager accepts the peer. */
        void secured();

        /** Called when the handshake has failed, or the peer has closed. */
        void broken(String reason);
    }

    TlsFilter(SSLEngine engine, Executor longTasks, ControlLoop loop, Ends ends) {
        this.engine = engine;
        this.longTasks = longTasks;
        this.loop = loop;
        this.ends = ends;
        this.encrypted = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
        this.plain = ByteBuffer.allocate(engine.getSession().getApplicationBufferSize());
    }

    void begin() {
        try {
            engine.beginHandshake();
            pump();
        } catch (SSLException | RuntimeException e) {
            fail(e);
        }
    }

    /** Processes bytes from the socket. */
    void received(ByteBuffer bytes) {
        if (encrypted.position() + bytes.remaining() > MAX_WAITING_BYTES) {
            fail(new SSLException("the peer sent more than " + MAX_WAITING_BYTES + " bytes before TLS processed them"));
            return;
        }
        if (encrypted.remaining() < bytes.remaining()) {
            encrypted = enlarged(encrypted, bytes.remaining());
        }
        encrypted.put(bytes);
        pump();
    }

    private static ByteBuffer enlarged(ByteBuffer old, int more) {
        return ByteBuffer.allocate(old.position() + Math.max(more, old.capacity()))
                .put(old.flip());
    }

    /** Encrypts and sends. Before the handshake is complete it drops the bytes. */
    void send(ByteBuffer bytes) {
        try {
            while (secured && !closed && bytes.hasRemaining()) {
                wrap(bytes);
            }
        } catch (SSLException e) {
            fail(e);
        }
    }

    List<Certificate> peerCertificates() {
        try {
            return List.of(engine.getSession().getPeerCertificates());
        } catch (SSLPeerUnverifiedException e) {
            // The server did not request a certificate, or the client has none.
            return List.of();
        }
    }

    /** Sends the TLS close_notify alert. */
    void close() {
        try {
            if (!closed) {
                closed = true;
                engine.closeOutbound();
                wrap(NOTHING);
            }
        } catch (SSLException e) {
            ControlLoop.LOG.log(System.Logger.Level.DEBUG, "the TLS close alert could not be sent", e);
        }
    }

    private void pump() {
        try {
            while (!closed && !taskRuns && step()) {
                // step() does the work.
            }
        } catch (SSLException | RuntimeException e) {
            fail(e);
        }
    }

    /** Makes one step; returns whether another step may be possible now. */
    private boolean step() throws SSLException {
        return switch (engine.getHandshakeStatus()) {
            case NEED_TASK -> {
                runTasks();
                yield false;
            }
            case NEED_WRAP -> wrap(NOTHING);
            case NEED_UNWRAP, NEED_UNWRAP_AGAIN -> unwrap();
            case FINISHED, NOT_HANDSHAKING -> {
                reportSecuredOnce();
                yield unwrap();
            }
        };
    }

    private void reportSecuredOnce() {
        if (!secured) {
            secured = true;
            ends.secured();
        }
    }

    private void runTasks() {
        taskRuns = true;
        longTasks.execute(() -> {
            Runnable task = engine.getDelegatedTask();
            while (task != null) {
                task.run();
                task = engine.getDelegatedTask();
            }
            loop.execute(() -> {
                taskRuns = false;
                pump();
            });
        });
    }

    private boolean wrap(ByteBuffer bytes) throws SSLException {
        ByteBuffer out = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
        SSLEngineResult result = engine.wrap(bytes, out);
        if (out.position() > 0) {
            ends.sendEncrypted(out.flip());
        }
        if (result.getStatus() == SSLEngineResult.Status.CLOSED && !closed) {
            throw new SSLException("the peer has closed TLS");
        }
        return result.getHandshakeStatus() != HandshakeStatus.NEED_WRAP || out.limit() > 0;
    }

    private boolean unwrap() throws SSLException {
        encrypted.flip();
        SSLEngineResult result;
        try {
            result = engine.unwrap(encrypted, plain);
        } finally {
            encrypted.compact();
        }
        switch (result.getStatus()) {
            case BUFFER_UNDERFLOW -> {
                return false;
            }
            case BUFFER_OVERFLOW -> plain = enlarged(plain, engine.getSession().getApplicationBufferSize());
            case CLOSED -> throw new SSLException("the peer has closed TLS");
            case OK -> deliver();
        }
        return result.bytesConsumed() > 0
                || result.bytesProduced() > 0
                || result.getStatus() == SSLEngineResult.Status.BUFFER_OVERFLOW
                || isHandshaking(result.getHandshakeStatus());
    }

    private static boolean isHandshaking(HandshakeStatus status) {
        return status == HandshakeStatus.NEED_TASK || status == HandshakeStatus.NEED_WRAP;
    }

    private void deliver() {
        if (plain.position() > 0) {
            ends.deliver(plain.flip());
            plain.clear();
        }
    }

    private void fail(Exception why) {
        if (!closed) {
            // Sends the alert that notifies the peer.
            close();
            // The message may contain text of the peer's certificate.
            ends.broken("TLS failed: " + PeerText.detail(String.valueOf(why.getMessage())));
        }
    }
}
