package io.rdmarpc.rpc.wire;

import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.error.SessionRejectReason;
import io.rdmarpc.transport.RcEndpoint;
import io.rdmarpc.transport.UdEndpoint;
import io.rdmarpc.verbs.PeerText;
import io.rdmarpc.verbs.attributes.PathMtu;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The messages of the control channel. {@link ControlCodec} has their bytes. */
public sealed interface ControlMessage {

    /**
     * Describes the message for a log or an exception.
     *
     * @return one line without secrets, cut where it is long
     */
    default String inWords() {
        return PeerText.of(toString());
    }

    /** A message about one session of the connection. */
    sealed interface OfSession extends ControlMessage {

        /**
         * Returns which session.
         *
         * @return the number that the client gave it, unique in the connection
         */
        int link();
    }

    /**
     * First message, client to server.
     *
     * @param version the newest protocol version the client speaks
     * @param heartbeatTimeoutMillis silence after which the client gives the server up
     * @param process the client's process
     * @param nonce random bytes for the proof of the shared token
     */
    record Hello(int version, int heartbeatTimeoutMillis, Id128 process, Nonce nonce) implements ControlMessage {}

    /**
     * The server takes the connection, once the client has proved what it knows.
     *
     * @param version the version both speak
     * @param heartbeatTimeoutMillis silence after which the server gives the client up
     * @param process the server's process
     * @param nonce random bytes for the proof of the shared token
     * @param proofWanted whether a {@link Proof} has to come next
     * @param providers the verbs providers that the server can be reached by, divided by commas, the preferred one first.
     *     Their end points come with {@link Opened} only: they have secrets
     */
    record Welcome(
            int version, int heartbeatTimeoutMillis, Id128 process, Nonce nonce, boolean proofWanted, String providers)
            implements ControlMessage {}

    /**
     * The server does not take the connection.
     *
     * @param code why
     * @param reason why, in words for the client's user
     */
    record Rejection(SessionRejectReason code, String reason) implements ControlMessage {}

    /**
     * Client to server: I know the shared token.
     *
     * @param mac computed with it
     */
    record Proof(Mac mac) implements ControlMessage {}

    /**
     * Server to client: so do I.
     *
     * @param mac computed with it, another one
     */
    record Proven(Mac mac) implements ControlMessage {}

    /** Either way: still here. */
    record Heartbeat() implements ControlMessage {}

    /**
     * Either way: the connection ends, with all its sessions.
     *
     * @param reason why, in words
     */
    record Goodbye(String reason) implements ControlMessage {}

    /**
     * Client to server: compare this contract with yours.
     *
     * @param number answered with the same
     * @param contract what the client knows
     */
    record Verify(int number, ServiceContract contract) implements ControlMessage {

        /** Without the contract, whose names are as the peer sent them. */
        @Override
        public String toString() {
            return "Verify[number=" + number + ", service=" + PeerText.of(contract.name()) + "]";
        }
    }

    /**
     * Server to client: the outcome.
     *
     * @param number as asked
     * @param difference empty when calls are welcome, else what differs, in words
     */
    record Verdict(int number, String difference) implements ControlMessage {}

    /**
     * Client to server: a session, please.
     *
     * @param link the session's number in the connection
     * @param token random; the same one never makes a second session
     * @param provider the client's verbs provider
     * @param endpoint where responses go
     * @param session the client engine's number of the session
     * @param window calls in flight the client wants
     * @param mtu largest packet the client's path carries
     * @param maxMessageBytes longest message the client takes
     * @param fallback whether the server's second way is wanted, since its first one was not reached
     */
    record Open(
            int link,
            Id128 token,
            String provider,
            UdEndpoint endpoint,
            int session,
            int window,
            PathMtu mtu,
            int maxMessageBytes,
            boolean fallback)
            implements OfSession {}

    /**
     * Server to client: there it is.
     *
     * @param link the session's number in the connection
     * @param endpoint where requests go
     * @param session the server engine's number of the session
     * @param cookie the secret in every packet of the session
     * @param window calls in flight granted
     * @param mtu largest packet of both sides
     * @param maxMessageBytes longest message of both sides
     */
    record Opened(int link, UdEndpoint endpoint, int session, long cookie, int window, PathMtu mtu, int maxMessageBytes)
            implements OfSession {

        /** Keeps the secret to itself: messages end up in logs. */
        @Override
        public String toString() {
            return "Opened[link=" + link + ", endpoint=" + endpoint + ", session=" + session + ", window=" + window
                    + ", mtu=" + mtu + ", maxMessageBytes=" + maxMessageBytes + "]";
        }
    }

    /**
     * Server to client: no session.
     *
     * @param link the session's number in the connection
     * @param code why
     * @param reason why, in words for the client's user
     */
    record Rejected(int link, SessionRejectReason code, String reason) implements OfSession {}

    /**
     * Either way: the session ends; the connection and its other sessions go on.
     *
     * @param link the session's number in the connection
     * @param reason why, in words
     */
    record Close(int link, String reason) implements OfSession {}

    /**
     * Server to client: I have something large for you or to READ from you; offer a connection.
     *
     * @param link the session's number in the connection
     */
    record RcWanted(int link) implements OfSession {}

    /**
     * Client to server: my end of a reliable connection.
     *
     * @param link the session's number in the connection
     * @param endpoint the client's end
     */
    record RcOffer(int link, RcEndpoint endpoint) implements OfSession {}

    /**
     * Server to client: my end, connected to yours.
     *
     * @param link the session's number in the connection
     * @param endpoint the server's end
     */
    record RcAnswer(int link, RcEndpoint endpoint) implements OfSession {}

    /**
     * Client to server: my end is connected to yours, too.
     *
     * @param link the session's number in the connection
     */
    record RcReady(int link) implements OfSession {}

    /**
     * Server to client: the server is stopping. It runs the calls that are named here, and none that comes after them. The
     * client makes those elsewhere, and closes the session when the others have ended.
     *
     * @param link the session's number in the connection
     * @param lasts the last request index of each slot that the server runs, slot 0 first; as many as the session's window
     */
    @SuppressWarnings("ArrayRecordComponent") // compared by content
    record Draining(int link, long[] lasts) implements OfSession {

        /** Compares the indexes one by one. */
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Draining draining && draining.link == link && Arrays.equals(draining.lasts, lasts);
        }

        @Override
        public int hashCode() {
            return 31 * link + Arrays.hashCode(lasts);
        }

        @Override
        public String toString() {
            return "Draining[link=" + link + ", slots=" + lasts.length + "]";
        }
    }
}
