package io.rdmarpc.service.server.call;

import io.rdmarpc.service.RdmaExceptionMapper;
import io.rdmarpc.service.RdmaServerInterceptor;
import java.time.Duration;
import java.util.List;

/**
 * What all methods of all exported services share.
 *
 * @param gate bounds the calls of all of them
 * @param maxQueueTime how long a call may wait for a thread, zero for any time
 * @param interceptors stand around every call they apply to, the first one outermost
 * @param mappers say how failures are answered, the first one with an opinion wins
 */
public record ExporterContext(
        CallGate gate,
        Duration maxQueueTime,
        List<RdmaServerInterceptor> interceptors,
        List<RdmaExceptionMapper> mappers) {

    public ExporterContext {
        interceptors = List.copyOf(interceptors);
        mappers = List.copyOf(mappers);
    }
}
