package io.rdmarpc.verbs.ffi;

import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import java.util.function.IntFunction;

/**
 * The result of a verb of the control path. Verbs report failures in different ways. Verbs that create an object return
 * null and set {@code errno}. The others return the error number, or its negative, or -1 and set {@code errno}.
 *
 * @param verb the C name
 * @param value the return value
 * @param capturedErrno {@code errno} right after the call
 */
public record Reply(String verb, long value, int capturedErrno) {

    /**
     * Returns the pointer that the verb returned, or throws if it is null.
     *
     * @param device the device's name, for the message
     * @param explanation returns the failed action and the remedy for an error number
     */
    public long pointer(String device, IntFunction<String> explanation) {
        if (value == 0) {
            throw failure(device, capturedErrno, explanation);
        }
        return value;
    }

    /** Throws if the verb returned an error. */
    public void check(String device, IntFunction<String> explanation) {
        int errno = error();
        if (errno != 0) {
            throw failure(device, errno, explanation);
        }
    }

    /** Returns the count that the verb returned; a negative value is a negative error number. */
    public int count(String device, IntFunction<String> explanation) {
        if (value < 0) {
            throw failure(device, (int) -value, explanation);
        }
        return (int) value;
    }

    /** Returns the file descriptor, or the flags of one, that the verb returned; -1 sets {@code errno}. */
    public int descriptor(String device, IntFunction<String> explanation) {
        if (value < 0) {
            throw failure(device, capturedErrno, explanation);
        }
        return (int) value;
    }

    /** Returns the error number of a verb that returns 0 on success. */
    public int error() {
        if (value == -1) {
            return capturedErrno == 0 ? Errno.EIO : capturedErrno;
        }
        return (int) Math.abs(value);
    }

    private RdmaVerbsException failure(String device, int errno, IntFunction<String> explanation) {
        return new RdmaVerbsException(verb, device, errno, explanation.apply(errno));
    }
}
