package io.rdmarpc.service.server.call;

import io.rdmarpc.service.RdmaExceptionMapper;
import io.rdmarpc.service.RdmaServerInterceptor;
import java.time.Duration;
import java.util.List;

/**
 * The context that all methods of all exported services share.
 *
 * @param gate limits the calls of all services together
 * @param maxQueueTime how long a call may wait for a thread; zero for no limit
 * @param interceptors interceptors of the calls, the first one outermost
 * @param mappers mappers of failures; the first result that is not null applies
 * @param debugDetails whether failures have a debug text if the caller requests it
 */
public record ExporterContext(
        CallGate gate,
        Duration maxQueueTime,
        List<RdmaServerInterceptor> interceptors,
        List<RdmaExceptionMapper> mappers,
        boolean debugDetails) {

    public ExporterContext {
        interceptors = List.copyOf(interceptors);
        mappers = List.copyOf(mappers);
    }

    /** Returns a copy with other interceptors. */
    public ExporterContext withInterceptors(List<RdmaServerInterceptor> others) {
        return new ExporterContext(gate, maxQueueTime, others, mappers, debugDetails);
    }

    /** Returns a copy with other mappers. */
    public ExporterContext withMappers(List<RdmaExceptionMapper> others) {
        return new ExporterContext(gate, maxQueueTime, interceptors, others, debugDetails);
    }

    /** Returns a copy that permits debug texts, or does not. */
    public ExporterContext withDebugDetails(boolean permitted) {
        return new ExporterContext(gate, maxQueueTime, interceptors, mappers, permitted);
    }
}
