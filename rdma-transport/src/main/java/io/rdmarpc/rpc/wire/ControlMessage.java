package io.rdmarpc.rpc.wire;

import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.error.SessionRejectReason;
import io.rdmarpc.transport.RcEndpoint;
import io.rdmarpc.transport.UdEndpoint;
import io.rdmarpc.verbs.PeerText;
import io.rdmarpc.verbs.attributes.PathMtu;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The messages of control connections. {@link ControlCodec} has their encoding. */
public sealed interface ControlMessage {

    /**
     * Describes the message for a log or an exception.
     *
     * @return one line without secrets, truncated if it is long
     */
    default String describe() {
        return PeerText.of(toString());
    }

    /** A message about one session of the connection. */
    sealed interface OfSession extends ControlMessage {

        /**
         * Returns the number of the session.
         *
         * @return the number that the client chose, unique in the connection
         */
        int link();
    }

    /**
     * First message, client to server.
     *
     * @param version the newest protocol version that the client supports
     * @param heartbeatTimeoutMillis silence after which the client declares the server dead
     * @param process the client's process
     * @param nonce random bytes for the proof of the shared token
     */
    record Hello(int version, int heartbeatTimeoutMillis, Id128 process, Nonce nonce) implements ControlMessage {}

    /**
     * The server accepts the connection, possibly on condition of a proof.
     *
     * @param version the version that both sides use
     * @param heartbeatTimeoutMillis silence after which the server declares the client dead
     * @param process the server's process
     * @param nonce random bytes for the proof of the shared token
     * @param proofWanted whether a {@link Proof} must come next
     * @param providers the server's verbs providers, separated by commas, the preferred one first. Their endpoints come
     *     only with {@link Opened}, because they contain secrets
     */
    record Welcome(
            int version, int heartbeatTimeoutMillis, Id128 process, Nonce nonce, boolean proofWanted, String providers)
            implements ControlMessage {

        /**
         * Returns the same message with another version.
         *
         * @param agreed the version that both sides use
         * @return a copy
         */
        public Welcome withVersion(int agreed) {
            return new Welcome(agreed, heartbeatTimeoutMillis, process, nonce, proofWanted, providers);
        }
    }

    /**
     * The server rejects the connection.
     *
     * @param reason the reason
     * @param detail a description for the client's user
     */
    record Rejection(SessionRejectReason reason, String detail) implements ControlMessage {}

    /**
     * Client to server: the client proves that it knows the shared token.
     *
     * @param mac computed with the token
     */
    record Proof(Mac mac) implements ControlMessage {}

    /**
     * Server to client: the server proves that it knows the shared token.
     *
     * @param mac computed with the token, over other data than the client's
     */
    record Proven(Mac mac) implements ControlMessage {}

    /** Either direction: the sender is alive. */
    record Heartbeat() implements ControlMessage {}

    /**
     * Either direction: the connection ends, with all its sessions.
     *
     * @param reason a description
     */
    record Goodbye(String reason) implements ControlMessage {}

    /**
     * Client to server: the client requests the server to compare this contract with its own.
     *
     * @param number the number of the {@link Verdict}
     * @param contract the client's contract
     */
    record Verify(int number, ServiceContract contract) implements ControlMessage {

        /** Omits the contract, whose names are text of the peer that is not sanitized. */
        @Override
        public String toString() {
            return "Verify[number=" + number + ", service=" + PeerText.of(contract.name()) + "]";
        }
    }

    /**
     * Server to client: the result of the comparison.
     *
     * @param number the number of the {@link Verify}
     * @param difference empty if the client may call, otherwise a description of the differences
     */
    record Verdict(int number, String difference) implements ControlMessage {}

    /**
     * Client to server: the client requests a session.
     *
     * @param link the session's number in the connection
     * @param token a random number; the same token never opens a second session
     * @param provider the client's verbs provider
     * @param endpoint the datagram endpoint for responses
     * @param session the client engine's number of the session
     * @param window requested number of calls in flight
     * @param mtu largest packet of the client's path
     * @param maxMessageBytes longest message that the client accepts, in bytes
     * @param fallback whether the client requests the server's fallback path because it did not reach the first one
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
     * Server to client: the session is open.
     *
     * @param link the session's number in the connection
     * @param endpoint the datagram endpoint for requests
     * @param session the server engine's number of the session
     * @param cookie the secret in every packet of the session
     * @param window granted number of calls in flight
     * @param mtu largest packet of both sides
     * @param maxMessageBytes longest message of both sides, in bytes
     */
    record Opened(int link, UdEndpoint endpoint, int session, long cookie, int window, PathMtu mtu, int maxMessageBytes)
            implements OfSession {

        /** Omits the secret, because messages are logged. */
        @Override
        public String toString() {
            return "Opened[link=" + link + ", endpoint=" + endpoint + ", session=" + session + ", window=" + window
                    + ", mtu=" + mtu + ", maxMessageBytes=" + maxMessageBytes + "]";
        }
    }

    /**
     * Server to client: the server rejects the session.
     *
     * @param link the session's number in the connection
     * @param reason the reason
     * @param detail a description for the client's user
     */
    record Rejected(int link, SessionRejectReason reason, String detail) implements OfSession {}

    /**
     * Either direction: the session ends; the connection and its other sessions continue.
     *
     * @param link the session's number in the connection
     * @param reason a description
     */
    record Close(int link, String reason) implements OfSession {}

    /**
     * Server to client: the server has a large message for the client, or must READ one from it, and requests an
     * {@link RcOffer}.
     *
     * @param link the session's number in the connection
     */
    record RcWanted(int link) implements OfSession {}

    /**
     * Client to server: the client's end of a reliable connection.
     *
     * @param link the session's number in the connection
     * @param endpoint the client's end
     */
    record RcOffer(int link, RcEndpoint endpoint) implements OfSession {}

    /**
     * Server to client: the server's end, connected to the client's.
     *
     * @param link the session's number in the connection
     * @param endpoint the server's end
     */
    record RcResponse(int link, RcEndpoint endpoint) implements OfSession {}

    /**
     * Client to server: the client's end is connected to the server's, too.
     *
     * @param link the session's number in the connection
     */
    record RcReady(int link) implements OfSession {}

    /**
     * Server to client: the server is stopping. It runs the calls up to the given indexes and no later ones. The client
     * retries the later calls on other servers. It closes the session when the earlier calls have ended.
     *
     * @param link the session's number in the connection
     * @param lasts the last request index of each slot that the server runs, slot 0 first; one for each slot of the
     *     session's window
     */
    @SuppressWarnings("ArrayRecordComponent") // compared by content
    record Draining(int link, long[] lasts) implements OfSession {

        /** Compares the indexes by value. */
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

    /**
     * Server to client: the server asks the client to open this session again, because it would place the new one on
     * an engine with less load. The client opens another session first, uses it for its next calls, and closes this one
     * when its calls have ended. A client may ignore the message.
     *
     * @param link the session's number in the connection
     */
    record Reopen(int link) implements OfSession {}
}
