package io.rdmarpc.verbs.error;

/**
 * A verb on the control path failed. Names the verb, the device, the C error number and what to do about it. Verbs of
 * the hot path ({@code postSend}, {@code postReceive}, {@code poll}) return error numbers instead of throwing.
 */
public class RdmaVerbsException extends RdmaException {

    private static final long serialVersionUID = 1L;

    private final String verb;
    private final String device;
    private final int errno;

    /**
     * Creates the failure of one verb.
     *
     * @param verb the C name of the verb, such as {@code ibv_reg_mr}
     * @param device the device it was called on, or an empty text when there is none yet
     * @param errno the C error number, 0 when the failure has none
     * @param explanation what was tried with which numbers, and what to do next
     */
    public RdmaVerbsException(String verb, String device, int errno, String explanation) {
        super(message(verb, device, errno, explanation));
        this.verb = verb;
        this.device = device;
        this.errno = errno;
    }

    /**
     * Creates the failure of something a provider or device does not have.
     *
     * @param verb the C name of the verb
     * @param device the device it was called on
     * @param what what is missing and what to use instead
     * @return the failure, with {@link Errno#EOPNOTSUPP}
     */
    public static RdmaVerbsException notSupported(String verb, String device, String what) {
        return new RdmaVerbsException(verb, device, Errno.EOPNOTSUPP, what);
    }

    private static String message(String verb, String device, int errno, String explanation) {
        String where = device.isEmpty() ? "" : " on " + device;
        String number = errno == 0 ? "" : ": " + Errno.describe(errno);
        return verb + where + " failed" + number + ". " + explanation;
    }

    /**
     * Returns the C name of the verb that failed.
     *
     * @return such as {@code ibv_create_qp}
     */
    public String verb() {
        return verb;
    }

    /**
     * Returns the device the verb was called on.
     *
     * @return the device's name, empty when there was none
     */
    public String device() {
        return device;
    }

    /**
     * Returns the C error number.
     *
     * @return an {@code errno} value, 0 when the failure has none
     */
    public int errno() {
        return errno;
    }
}
