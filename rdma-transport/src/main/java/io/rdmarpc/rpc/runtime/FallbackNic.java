package io.rdmarpc.rpc.runtime;

import io.rdmarpc.transport.NicContext;
import io.rdmarpc.transport.RcConfig;
import io.rdmarpc.transport.UdConfig;

/**
 * A second NIC of a runtime, usually the software RNIC, for peers that the first one does not reach.
 *
 * @param nic the NIC; the runtime's from now on, which closes it
 * @param ud sizes of its datagram transport
 * @param rc settings of its READs
 * @param thread turns its engine
 * @param forClients whether channels of this process take it when the first NIC does not reach a server
 * @param forServer whether clients may reach this process by it
 */
public record FallbackNic(
        NicContext nic, UdConfig ud, RcConfig rc, PollingThread thread, boolean forClients, boolean forServer) {

    /** Closes the NIC, then what is closed otherwise. */
    Runnable closingBefore(Runnable closeFirst) {
        return () -> {
            nic.close();
            closeFirst.run();
        };
    }
}
