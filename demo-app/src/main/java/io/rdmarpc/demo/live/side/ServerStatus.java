package io.rdmarpc.demo.live.side;

import io.rdmarpc.rpc.stats.EngineStatistics;

/**
 * The server's process.
 *
 * @param process pid, CPU and heap
 * @param reason provider and device, and why
 * @param engine what its engine has counted
 */
public record ServerStatus(ProcessReading process, String reason, EngineStatistics engine) {}
