package io.rdmarpc.demo.live.side;

import io.rdmarpc.rpc.stats.EngineStatistics;
import org.jspecify.annotations.Nullable;

/**
 * The state of the server's process.
 *
 * @param process pid, CPU time and heap
 * @param reason provider, device and the reason for their selection
 * @param engine counters of the server's engine
 * @param grpcPort port of the gRPC server in the same process, null if there is none or it has not started
 */
public record ServerStatus(
        ProcessReading process,
        String reason,
        EngineStatistics engine,
        @Nullable Integer grpcPort) {}
