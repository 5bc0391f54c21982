package io.rdmarpc.demo.live.side;

import io.rdmarpc.rpc.stats.EngineStatistics;

/**
 * The state of the server's process.
 *
 * @param process pid, CPU time and heap
 * @param reason provider, device and the reason for their selection
 * @param engine counters of the server's engine
 */
public record ServerStatus(ProcessReading process, String reason, EngineStatistics engine) {}
