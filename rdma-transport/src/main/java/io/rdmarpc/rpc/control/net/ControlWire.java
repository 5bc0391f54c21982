package io.rdmarpc.rpc.control.net;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.security.cert.Certificate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What carries the bytes of a control connection: a socket, or a test. Control thread only. */
public interface ControlWire {

    /** Hears what the wire brings. */
    interface Owner {

        /** Bytes can be sent now. */
        void onConnected();

        /** Takes all bytes of the buffer, which is used again afterwards. */
        void onBytes(ByteBuffer bytes);

        /** The peer has closed, or the wire failed; called once at most, and not after {@link ControlWire#close}. */
        void onWireEnd(String reason);

        /** TLS failed, and the wire with it; called instead of {@link #onWireEnd}. */
        default void onTlsFailed(String reason) {
            onWireEnd(reason);
        }
    }

    /** Sends, some time. Ends the wire when too much waits already. */
    void send(ByteBuffer bytes);

    /** Closes when everything has been sent, or a short time is over. The owner hears nothing any more. */
    void close();

    /** Returns the own address, null as long as there is none. */
    @Nullable
    InetAddress localAddress();

    InetSocketAddress remoteAddress();

    /** Returns how many bytes wait to be sent. */
    long waitingBytes();

    /** Tells whether the peer has sent a byte, be it of TLS. */
    boolean hasReceived();

    /** Returns what the peer has shown by TLS, its own certificate first; nothing without TLS or before its handshake. */
    default List<Certificate> peerCertificates() {
        return List.of();
    }
}
