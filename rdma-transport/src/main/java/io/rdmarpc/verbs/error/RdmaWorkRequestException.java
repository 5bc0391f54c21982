package io.rdmarpc.verbs.error;

/**
 * A work request that cannot work, found before it was posted: nothing of its postlist has been posted. Says what is
 * wrong, with the numbers, and what to do.
 */
public class RdmaWorkRequestException extends RdmaException {

    private static final long serialVersionUID = 1L;

    private final int index;

    /**
     * Creates the failure.
     *
     * @param index the work request in its array
     * @param message what is wrong with it, and what to do
     */
    public RdmaWorkRequestException(int index, String message) {
        super(message);
        this.index = index;
    }

    /**
     * Returns which work request is wrong.
     *
     * @return its index in the array
     */
    public int index() {
        return index;
    }
}
