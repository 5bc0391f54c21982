package io.rdmarpc.verbs.ffi;

import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import java.util.function.IntFunction;

/**
 * What a verb of the control path answered. Verbs disagree about how they fail: those that make something return null
 * and set {@code errno}; the others return the error number, or its negative, or -1 and set {@code errno}.
 *
 * @param verb the C name
 * @param value what it returned
 * @param capturedErrno {@code errno} right after the call
 */
public record Reply(String verb, long value, int capturedErrno) {

    /**
     * Takes the pointer that was returned.
     *
     * @param device the device's name, for the message
     * @param explanation says for an error number what was tried and what to do
     */
    public long pointer(String device, IntFunction<String> explanation) {
        if (value == 0) {
            throw failure(device, capturedErrno, explanation);
        }
        return value;
    }

    /** Throws when the verb answered with an error. */
    public void check(String device, IntFunction<String> explanation) {
        int errno = error();
        if (errno != 0) {
            throw failure(device, errno, explanation);
        }
    }

    /** Takes the number of things that were returned; a negative one is a negative error number. */
    public int count(String device, IntFunction<String> explanation) {
        if (value < 0) {
            throw failure(device, (int) -value, explanation);
        }
        return (int) value;
    }

    /** Takes the file descriptor, or the flags of one, that was returned; -1 sets {@code errno}. */
    public int descriptor(String device, IntFunction<String> explanation) {
        if (value < 0) {
            throw failure(device, capturedErrno, explanation);
        }
        return (int) value;
    }

    /** The error number of a verb that returns 0 when it is successful. */
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
