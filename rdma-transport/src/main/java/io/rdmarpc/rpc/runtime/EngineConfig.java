package io.rdmarpc.rpc.runtime;

import io.rdmarpc.transport.RcConfig;
import io.rdmarpc.transport.UdConfig;

/**
 * Settings of an additional engine of a runtime. Sessions are spread over all engines.
 *
 * @param ud sizes of the datagram transport
 * @param rc settings of the READs
 * @param thread the polling thread
 */
public record EngineConfig(UdConfig ud, RcConfig rc, PollingThread thread) {}
