package io.rdmarpc.service.client;

import io.rdmarpc.service.RdmaClientInterceptor;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * What all methods of all proxies share.
 *
 * @param completions runs what waits for futures; not the polling thread
 * @param interceptors stand around every call, the first one outermost
 * @param retry for idempotent methods that do not say
 * @param start run by a call that finds no session, before it connects
 */
record ProxyContext(
        Executor completions, List<RdmaClientInterceptor> interceptors, RetrySettings retry, Runnable start) {

    ProxyContext {
        interceptors = List.copyOf(interceptors);
    }
}
