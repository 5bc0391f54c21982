package io.rdmarpc.rpc.wire;

import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.transport.RcEndpoint;
import io.rdmarpc.transport.UdEndpoint;
import io.rdmarpc.verbs.PathMtu;

/** The messages of the control channel. {@link ControlCodec} has their bytes. */
public sealed interface ControlMessage {

    /** Why a server refuses a client. */
    enum RefusalCode {
        /** The versions have nothing in common. */
        VERSION(0),
        /** One side runs on libibverbs, the other on the software RNIC. */
        PROVIDER(1),
        /** The server's receive ring is spoken for. */
        RING_EXHAUSTED(2),
        /** The server is closing. */
        CLOSING(3),
        /** The server failed inside, and any code this version does not know. */
        INTERNAL(4);

        private final int code;

        RefusalCode(int code) {
            this.code = code;
        }

        int code() {
            return code;
        }

        static RefusalCode of(int code) {
            for (RefusalCode refusal : values()) {
                if (refusal.code == code) {
                    return refusal;
                }
            }
            return INTERNAL;
        }
    }

    /**
     * First message, client to server.
     *
     * @param version the newest protocol version the client speaks
     * @param provider the client's verbs provider
     * @param endpoint where responses go
     * @param session the client's session number
     * @param window calls in flight the client wants
     * @param mtu largest packet the client's path carries
     * @param maxMessageBytes longest message the client takes
     * @param heartbeatTimeoutMillis silence after which the client gives the server up
     */
    record Hello(
            int version,
            String provider,
            UdEndpoint endpoint,
            int session,
            int window,
            PathMtu mtu,
            int maxMessageBytes,
            int heartbeatTimeoutMillis)
            implements ControlMessage {}

    /**
     * The server takes the session.
     *
     * @param version the version both speak
     * @param endpoint where requests go
     * @param session the server's session number
     * @param cookie the secret in every packet of the session
     * @param window calls in flight granted
     * @param mtu largest packet of both sides
     * @param maxMessageBytes longest message of both sides
     * @param heartbeatTimeoutMillis silence after which the server gives the client up
     */
    record Welcome(
            int version,
            UdEndpoint endpoint,
            int session,
            long cookie,
            int window,
            PathMtu mtu,
            int maxMessageBytes,
            int heartbeatTimeoutMillis)
            implements ControlMessage {

        /** Keeps the secret to itself: messages end up in logs. */
        @Override
        public String toString() {
            return "Welcome[version=" + version + ", endpoint=" + endpoint + ", session=" + session + ", window="
                    + window + ", mtu=" + mtu + ", maxMessageBytes=" + maxMessageBytes + "]";
        }
    }

    /**
     * The server does not take the session.
     *
     * @param code why
     * @param reason why, in words for the client's user
     */
    record Refusal(RefusalCode code, String reason) implements ControlMessage {}

    /**
     * Client to server: compare this contract with yours.
     *
     * @param number answered with the same
     * @param contract what the client knows
     */
    record Verify(int number, ServiceContract contract) implements ControlMessage {}

    /**
     * Server to client: the outcome.
     *
     * @param number as asked
     * @param difference empty when calls are welcome, else what differs, in words
     */
    record Verdict(int number, String difference) implements ControlMessage {}

    /** Server to client: I have something large for you or to READ from you; offer a connection. */
    record RcWanted() implements ControlMessage {}

    /**
     * Client to server: my end of a reliable connection.
     *
     * @param endpoint the client's end
     */
    record RcOffer(RcEndpoint endpoint) implements ControlMessage {}

    /**
     * Server to client: my end, connected to yours.
     *
     * @param endpoint the server's end
     */
    record RcAnswer(RcEndpoint endpoint) implements ControlMessage {}

    /** Client to server: my end is connected to yours, too. */
    record RcReady() implements ControlMessage {}

    /** Either way: still here. */
    record Heartbeat() implements ControlMessage {}

    /**
     * Either way: the session ends.
     *
     * @param reason why, in words
     */
    record Goodbye(String reason) implements ControlMessage {}
}
