package io.rdmarpc.rpc.engine.session;

import io.rdmarpc.memory.LendingPool;
import io.rdmarpc.rpc.SessionInfo;
import io.rdmarpc.rpc.message.MessageOrigin;
import io.rdmarpc.transport.UdEndpoint;
import io.rdmarpc.verbs.AddressHandle;

/**
 * What a handshake agreed on and prepared for one end of a session. Address handle and lending pool stay the control
 * side's to close, after {@link SessionHost#drained}.
 *
 * @param id own number of the session
 * @param peerId the peer's number
 * @param cookie the secret both know
 * @param endpoint where datagrams to the peer go
 * @param addressHandle the way there
 * @param lending memory that this peer may READ
 * @param origin whose part of memory and READs its large messages take
 * @param info window, MTU and limits
 */
public record SessionTerms(
        int id,
        int peerId,
        long cookie,
        UdEndpoint endpoint,
        AddressHandle addressHandle,
        LendingPool lending,
        MessageOrigin origin,
        SessionInfo info) {

    /** Keeps the secret to itself. */
    @Override
    public String toString() {
        return "SessionTerms[id=" + id + ", peerId=" + peerId + ", endpoint=" + endpoint + ", info=" + info + "]";
    }
}
