package io.rdmarpc.service.client;

import io.rdmarpc.service.RdmaClientInterceptor;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * The context that all methods of all proxies share.
 *
 * @param completions executor of the dependents of futures, and must not be the polling thread
 * @param interceptors interceptors of every call, the first one outermost
 * @param retry settings for idempotent methods that configure no retry
 * @param start run by a call that finds no session, before it connects
 */
record ProxyContext(
        Executor completions, List<RdmaClientInterceptor> interceptors, RetrySettings retry, Runnable start) {

    ProxyContext {
        interceptors = List.copyOf(interceptors);
    }
}
