package io.rdmarpc.rpc.runtime;

import io.rdmarpc.transport.RcConfig;
import io.rdmarpc.transport.UdConfig;

/**
 * One more engine of a runtime: sessions are spread over all of them.
 *
 * @param ud sizes of its datagram transport
 * @param rc settings of its READs
 * @param thread turns it
 */
public record EngineConfig(UdConfig ud, RcConfig rc, PollingThread thread) {}
