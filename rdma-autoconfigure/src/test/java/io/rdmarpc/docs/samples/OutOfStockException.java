package io.rdmarpc.docs.samples;

import io.rdmarpc.annotation.RdmaFailureDetails;

/** The example of docs/how-to/handle-errors.md. */
@SuppressWarnings("serial") // serialized by its details
class OutOfStockException extends Exception implements RdmaFailureDetails<OutOfStockException.Details> {

    record Details(String item, int available) {}

    private final Details details;

    OutOfStockException(String message, Details details) {
        super(message);
        this.details = details;
    }

    int available() {
        return details.available();
    }

    @Override
    public Details failureDetails() {
        return details;
    }
}
