package io.rdmarpc.docs.samples;

import io.rdmarpc.annotation.RdmaFailureFields;

/** The example of declared exceptions in docs/how-to/handle-errors.md. */
@SuppressWarnings("serial") // never serialized by Java
@RdmaFailureFields
class NoSeatException extends Exception {

    private final String show;
    private final int left;

    NoSeatException(String message, String show, int left) {
        super(message);
        this.show = show;
        this.left = left;
    }

    String show() {
        return show;
    }

    int left() {
        return left;
    }
}
