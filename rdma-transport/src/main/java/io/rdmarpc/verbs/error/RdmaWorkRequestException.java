package io.rdmarpc.verbs.error;

/**
 * A work request is invalid. The exception is thrown before anything of its list is posted. The message has the
 * problem, the numbers and what to do.
 */
public class RdmaWorkRequestException extends RdmaException {

    private static final long serialVersionUID = 1L;

    private final int index;

    /**
     * Creates the exception.
     *
     * @param index the index of the work request in its array
     * @param message the problem and what to do
     */
    public RdmaWorkRequestException(int index, String message) {
        super(message);
        this.index = index;
    }

    /**
     * Returns the index of the invalid work request.
     *
     * @return its index in the array
     */
    public int index() {
        return index;
    }
}
