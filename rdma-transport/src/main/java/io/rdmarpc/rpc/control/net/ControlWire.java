package io.rdmarpc.rpc.control.net;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.security.cert.Certificate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The transport of a control connection's bytes: a socket, or a test double. Control thread only. */
public interface ControlWire {

    /** Receives the events of the wire. */
    interface Owner {

        /** Called when bytes can be sent. */
        void onConnected();

        /** Called with received bytes. The owner must consume the whole buffer, which is reused. */
        void onBytes(ByteBuffer bytes);

        /**
         * Called when the peer has closed or the wire has failed; at most once, and not after
         * {@link ControlWire#close}.
         */
        void onWireEnd(String reason);

        /** Called when TLS, and so the wire, has failed; instead of {@link #onWireEnd}. */
        default void onTlsFailed(String reason) {
            onWireEnd(reason);
        }
    }

    /** Sends asynchronously. Ends the wire if too many bytes are waiting. */
    void send(ByteBuffer bytes);

    /** Closes when all bytes are sent, or after a short time. The owner is no longer notified. */
    void close();

    /** Returns the local address, null before there is one. */
    @Nullable
    InetAddress localAddress();

    InetSocketAddress remoteAddress();

    /** Returns the number of bytes that wait to be sent. */
    long waitingBytes();

    /** Returns whether the peer has sent a byte, including bytes of TLS. */
    boolean hasReceived();

    /**
     * Returns the certificates that the peer presented over TLS, its own first; empty without TLS or before its
     * handshake.
     */
    default List<Certificate> peerCertificates() {
        return List.of();
    }
}
