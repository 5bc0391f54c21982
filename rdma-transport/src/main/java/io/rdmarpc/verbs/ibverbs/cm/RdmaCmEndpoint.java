package io.rdmarpc.verbs.ibverbs.cm;

import io.rdmarpc.verbs.cm.CmEndpoint;
import java.net.InetSocketAddress;

/** The common part of route, request and connection. */
abstract class RdmaCmEndpoint implements CmEndpoint {

    private final CmIdentifier id;
    private final CmPath path;

    RdmaCmEndpoint(CmIdentifier id, CmPath path) {
        this.id = id;
        this.path = path;
    }

    CmIdentifier id() {
        return id;
    }

    CmPath path() {
        return path;
    }

    @Override
    public final String deviceName() {
        return path.deviceName();
    }

    @Override
    public final int portNumber() {
        return path.portNumber();
    }

    @Override
    public final InetSocketAddress localAddress() {
        return path.localAddress();
    }

    @Override
    public final InetSocketAddress remoteAddress() {
        return path.remoteAddress();
    }

    @Override
    public final String toString() {
        return path.describe() + " over " + path.deviceName();
    }
}
