package io.rdmarpc.rpc.runtime;

import io.rdmarpc.rpc.wire.ControlCodec;
import io.rdmarpc.rpc.wire.ControlMessage;
import java.io.IOException;

/** Clients that may misbehave, and a server. */
abstract class StrangeClientFixture extends HandshakeFixture {

    int port() {
        return server.address().getPort();
    }

    ControlMessage exchange(byte[] bytes) throws IOException {
        try (PlayedPeer client = PlayedPeer.connect(port())) {
            client.send(bytes);
            return client.read();
        }
    }

    ControlMessage exchange(ControlMessage message) throws IOException {
        return exchange(ControlCodec.encode(message));
    }

    /** Returns the response to the first message after the handshake. */
    ControlMessage exchangeLive(ControlMessage message) throws IOException {
        try (PlayedPeer client = PlayedPeer.welcomed(port())) {
            return client.exchange(message);
        }
    }
}
