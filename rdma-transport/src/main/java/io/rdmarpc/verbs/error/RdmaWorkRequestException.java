package io.rdmarpc.verbs.error;

/**
 * A work request is invalid. Nothing of its list was posted. The message states the problem, the numbers and the
 * remedy.
 */
public class RdmaWorkRequestException extends RdmaException {

    private static final long serialVersionUID = 1L;

    private final int index;

    /**
     * Creates the exception.
     *
     * @param index the index of the work request in its array
     * @param message the problem and the remedy
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
