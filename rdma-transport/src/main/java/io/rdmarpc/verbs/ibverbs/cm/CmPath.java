package io.rdmarpc.verbs.ibverbs.cm;

import io.rdmarpc.verbs.ibverbs.ffi.cm.CmIdStruct;
import java.net.InetSocketAddress;

/**
 * The path of a connection.
 *
 * @param deviceName the device
 * @param portNumber its port, from 1
 * @param localAddress the local address
 * @param remoteAddress the peer's address
 */
record CmPath(String deviceName, int portNumber, InetSocketAddress localAddress, InetSocketAddress remoteAddress) {

    static CmPath of(CmIdStruct id) {
        return new CmPath(id.deviceName(), id.portNumber(), id.localAddress(), id.remoteAddress());
    }

    /** Returns a description for messages. */
    String describe() {
        return "the connection from " + text(localAddress) + " to " + text(remoteAddress);
    }

    /** Returns the address without the host name that {@code InetSocketAddress} prints before a slash. */
    static String text(InetSocketAddress address) {
        return address.getAddress().getHostAddress() + " port " + address.getPort();
    }
}
