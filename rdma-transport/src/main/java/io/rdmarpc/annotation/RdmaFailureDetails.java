package io.rdmarpc.annotation;

/**
 * Marks an exception that takes its details to the caller. A method that declares the exception sends them with the message; the
 * caller's exception is made by the constructor {@code (String message, D details)}.
 *
 * <pre>{@code
 * class OutOfStockException extends Exception implements RdmaFailureDetails<OutOfStockException.Details> {
 *
 *     record Details(String item, int available) {}
 *
 *     private final Details details;
 *
 *     OutOfStockException(String message, Details details) {
 *         super(message);
 *         this.details = details;
 *     }
 *
 *     public Details failureDetails() {
 *         return details;
 *     }
 * }
 * }</pre>
 *
 * @param <D> what travels, by the same rules as a result; a record of the exception's own is the usual choice
 */
public interface RdmaFailureDetails<D> {

    /**
     * Returns what travels.
     *
     * @return the details
     */
    D failureDetails();
}
