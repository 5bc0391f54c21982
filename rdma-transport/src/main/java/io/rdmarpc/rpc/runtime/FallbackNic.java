package io.rdmarpc.rpc.runtime;

import io.rdmarpc.transport.NicContext;
import io.rdmarpc.transport.RcConfig;
import io.rdmarpc.transport.UdConfig;

/**
 * The second NIC of a runtime, usually the software RNIC, for peers that the first NIC does not reach.
 *
 * @param nic the NIC; the runtime owns and closes it from now on
 * @param ud sizes of the datagram transport
 * @param rc settings of the READs
 * @param thread the polling thread of its engine
 * @param forClients whether channels of this process use it if the first NIC does not reach a server
 * @param forServer whether clients may reach this process over it
 */
public record FallbackNic(
        NicContext nic, UdConfig ud, RcConfig rc, PollingThread thread, boolean forClients, boolean forServer) {

    /** Returns a task that closes this NIC and then runs another task. */
    Runnable closingBefore(Runnable closeFirst) {
        return () -> {
            nic.close();
            closeFirst.run();
        };
    }
}
