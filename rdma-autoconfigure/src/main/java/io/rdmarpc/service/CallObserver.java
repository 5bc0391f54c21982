package io.rdmarpc.service;

/**
 * Observes calls. It returns an observer for each method once, so that a call has little overhead. Implementations must
 * be thread-safe.
 */
public interface CallObserver {

    /** An observer that ignores all calls. */
    CallObserver NONE = new CallObserver() {
        @Override
        public MethodObserver client(String service, String method, String target, ServerAddress server) {
            return MethodObserver.NONE;
        }

        @Override
        public MethodObserver server(String service, String method) {
            return MethodObserver.NONE;
        }
    };

    /**
     * Returns the observer of a method that this process calls.
     *
     * @param service the service name
     * @param method the method name
     * @param target the target name
     * @param server the target's address as its configuration states it
     * @return the observer, kept for the lifetime of the proxy
     */
    MethodObserver client(String service, String method, String target, ServerAddress server);

    /**
     * Returns the observer of a method that this process serves.
     *
     * @param service the service name
     * @param method the method name
     * @return the observer, kept for the lifetime of the export
     */
    MethodObserver server(String service, String method);
}
