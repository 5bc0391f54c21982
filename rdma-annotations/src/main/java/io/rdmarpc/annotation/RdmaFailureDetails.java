package io.rdmarpc.annotation;

/**
 * Marks an exception whose details are sent to the caller. If a method declares the exception, its response carries the
 * message and the details. The client creates its exception with the constructor {@code (String message, D details)}.
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
 * @param <D> type of the details, by the same rules as for a result; usually a record nested in the exception
 */
public interface RdmaFailureDetails<D> {

    /**
     * Returns the details that are sent to the caller.
     *
     * @return the details
     */
    D failureDetails();
}
