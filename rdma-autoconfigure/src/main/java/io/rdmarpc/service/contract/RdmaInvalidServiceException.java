package io.rdmarpc.service.contract;

import io.rdmarpc.verbs.error.RdmaException;

/** A service interface, or a bean that implements one, is invalid. Thrown at startup. */
public class RdmaInvalidServiceException extends RdmaException {

    private static final long serialVersionUID = 1L;

    private final String problem;
    private final String remedy;

    /**
     * Creates the failure.
     *
     * @param problem the problem, with the service and the method or bean; a sentence without its period
     * @param remedy what to do; a sentence without its period
     */
    public RdmaInvalidServiceException(String problem, String remedy) {
        super(problem + ". " + remedy + ".");
        this.problem = problem;
        this.remedy = remedy;
    }

    /**
     * Returns the problem.
     *
     * @return a sentence without its period
     */
    public String problem() {
        return problem;
    }

    /**
     * Returns what to do.
     *
     * @return a sentence without its period
     */
    public String remedy() {
        return remedy;
    }
}
