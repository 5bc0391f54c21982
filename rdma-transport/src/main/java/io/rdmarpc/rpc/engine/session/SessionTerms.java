package io.rdmarpc.rpc.engine.session;

import io.rdmarpc.memory.LendingPool;
import io.rdmarpc.rpc.SessionInfo;
import io.rdmarpc.rpc.message.MessageOrigin;
import io.rdmarpc.transport.UdEndpoint;
import io.rdmarpc.verbs.AddressHandle;

/**
 * The terms that a handshake agreed on, and the resources prepared for one end of a session. The control side closes
 * the address handle and the lending pool, after {@link SessionHost#drained}.
 *
 * @param id the local number of the session
 * @param peerId the peer's number
 * @param cookie the secret that both peers know
 * @param endpoint destination of datagrams to the peer
 * @param addressHandle the route to the peer
 * @param lending memory that this peer may READ
 * @param origin the source whose part of memory and READs its large messages use
 * @param info window, MTU and limits
 * @param protocolVersion the protocol version that both peers use
 */
public record SessionTerms(
        int id,
        int peerId,
        long cookie,
        UdEndpoint endpoint,
        AddressHandle addressHandle,
        LendingPool lending,
        MessageOrigin origin,
        SessionInfo info,
        int protocolVersion) {

    /** Omits the secret. */
    @Override
    public String toString() {
        return "SessionTerms[id=" + id + ", peerId=" + peerId + ", endpoint=" + endpoint + ", info=" + info + "]";
    }
}
