package io.rdmarpc.rpc.control;

import io.rdmarpc.rpc.control.net.ControlWire;
import io.rdmarpc.rpc.wire.ControlCodec;
import io.rdmarpc.rpc.wire.ControlMessage;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.List;

/** A wire that stores messages in a list. */
final class MemoryWire implements ControlWire {

    static final InetSocketAddress PEER = new InetSocketAddress(Inet4Address.ofLiteral("10.0.0.2"), 7000);

    private final List<ControlMessage> sent = new ArrayList<>();
    private final InetSocketAddress peer;
    private boolean closed;
    boolean received;
    /** Runs after a message was sent. */
    Runnable whenSent = () -> {};
    /** Number of bytes that the peer has not read. */
    long waiting;

    List<Certificate> certificates = List.of();
    /** Called when the certificates are read. */
    Runnable whenAsked = () -> {};

    MemoryWire() {
        this(PEER);
    }

    MemoryWire(InetSocketAddress peer) {
        this.peer = peer;
    }

    @Override
    public void send(ByteBuffer bytes) {
        if (closed) {
            throw new AssertionError("sent after the end of the wire");
        }
        byte[] frame = new byte[bytes.remaining() - Integer.BYTES];
        bytes.get(Integer.BYTES, frame);
        try {
            sent.add(ControlCodec.decode(frame));
        } catch (IOException e) {
            throw new AssertionError("the sent bytes cannot be decoded", e);
        }
        whenSent.run();
    }

    /** Returns the messages that were sent since the last call, without heartbeats. */
    List<ControlMessage> takeSent() {
        List<ControlMessage> taken = sent.stream()
                .filter(message -> !(message instanceof ControlMessage.Heartbeat))
                .toList();
        sent.clear();
        return taken;
    }

    List<ControlMessage> sent() {
        return List.copyOf(sent);
    }

    List<ControlMessage> takeAll() {
        List<ControlMessage> taken = List.copyOf(sent);
        sent.clear();
        return taken;
    }

    @Override
    public List<Certificate> peerCertificates() {
        whenAsked.run();
        return certificates;
    }

    @Override
    public long waitingBytes() {
        return waiting;
    }

    @Override
    public boolean hasReceived() {
        return received;
    }

    boolean isClosed() {
        return closed;
    }

    @Override
    public void close() {
        closed = true;
    }

    @Override
    public InetAddress localAddress() {
        return Inet4Address.ofLiteral("10.0.0.1");
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return peer;
    }
}
