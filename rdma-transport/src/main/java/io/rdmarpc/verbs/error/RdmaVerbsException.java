package io.rdmarpc.verbs.error;

/**
 * A verb on the control path failed. The message states the verb, the device, the C error number and the remedy. Verbs
 * of the hot path ({@code postSend}, {@code postReceive}, {@code poll}) return error numbers instead.
 */
public class RdmaVerbsException extends RdmaException {

    private static final long serialVersionUID = 1L;

    private final String verb;
    private final String device;
    private final int errno;

    /**
     * Creates the exception of one verb.
     *
     * @param verb the C name of the verb, such as {@code ibv_reg_mr}
     * @param device the device on which the verb was called, or an empty text if there is none yet
     * @param errno the C error number, 0 if the failure has none
     * @param explanation the failed action with its numbers, and the next step
     */
    public RdmaVerbsException(String verb, String device, int errno, String explanation) {
        super(message(verb, device, errno, explanation));
        this.verb = verb;
        this.device = device;
        this.errno = errno;
    }

    /**
     * Creates the exception for an operation that a provider or device does not support.
     *
     * @param verb the C name of the verb
     * @param device the device on which the verb was called
     * @param what the missing feature and its replacement
     * @return the exception, with {@link Errno#EOPNOTSUPP}
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
     * Returns the device on which the verb was called.
     *
     * @return the device's name, empty if there was none
     */
    public String device() {
        return device;
    }

    /**
     * Returns the C error number.
     *
     * @return an {@code errno} value, 0 if the failure has none
     */
    public int errno() {
        return errno;
    }
}
