package io.rdmarpc.service;

/** Hears about calls: one observer for each method, asked for once, so that a call costs little. Any thread. */
public interface CallObserver {

    /** Hears nothing. */
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
     * @param service the service's name
     * @param method the method's name
     * @param target the target's name
     * @param server the target's address as its configuration states it
     * @return kept for the life of the proxy
     */
    MethodObserver client(String service, String method, String target, ServerAddress server);

    /**
     * Returns the observer of a method that this process offers.
     *
     * @param service the service's name
     * @param method the method's name
     * @return kept for the life of the export
     */
    MethodObserver server(String service, String method);
}
