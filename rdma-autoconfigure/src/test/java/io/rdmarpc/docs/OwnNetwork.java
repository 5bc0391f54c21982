package io.rdmarpc.docs;

import io.rdmarpc.rpc.PeerIdentity;
import io.rdmarpc.service.server.security.RdmaAuthorization;
import org.springframework.stereotype.Component;

@Component
class OwnNetwork implements RdmaAuthorization {

    @Override
    public boolean allows(String service, PeerIdentity peer) {
        return peer.address().startsWith("10.1.");
    }
}
