package io.rdmarpc.service.contract;

import io.rdmarpc.verbs.error.RdmaException;

/** A service interface, or a bean that implements one, cannot work as written. Found at start-up. */
public class RdmaInvalidServiceException extends RdmaException {

    private static final long serialVersionUID = 1L;

    private final String problem;
    private final String remedy;

    /**
     * Creates the failure.
     *
     * @param problem what cannot work, naming the service and the method or bean; a sentence without its full stop
     * @param remedy what to do; a sentence without its full stop
     */
    public RdmaInvalidServiceException(String problem, String remedy) {
        super(problem + ". " + remedy + ".");
        this.problem = problem;
        this.remedy = remedy;
    }

    /**
     * Returns what cannot work.
     *
     * @return a sentence without its full stop
     */
    public String problem() {
        return problem;
    }

    /**
     * Returns what to do.
     *
     * @return a sentence without its full stop
     */
    public String remedy() {
        return remedy;
    }
}
