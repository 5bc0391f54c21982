package io.rdmarpc.verbs.ibverbs.cm;

import io.rdmarpc.verbs.ibverbs.ffi.cm.CmIdStruct;
import java.net.InetSocketAddress;

/**
 * Where a connection goes along.
 *
 * @param deviceName the device
 * @param portNumber its port, from 1
 * @param localAddress the own address
 * @param remoteAddress the peer's address
 */
record CmPath(String deviceName, int portNumber, InetSocketAddress localAddress, InetSocketAddress remoteAddress) {

    static CmPath of(CmIdStruct id) {
        return new CmPath(id.deviceName(), id.portNumber(), id.localAddress(), id.remoteAddress());
    }

    /** For messages. */
    String describe() {
        return "the connection from " + text(localAddress) + " to " + text(remoteAddress);
    }

    /** Without the host name that {@code InetSocketAddress} puts before a slash. */
    static String text(InetSocketAddress address) {
        return address.getAddress().getHostAddress() + " port " + address.getPort();
    }
}
