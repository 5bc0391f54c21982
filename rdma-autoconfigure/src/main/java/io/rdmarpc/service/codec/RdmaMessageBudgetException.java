package io.rdmarpc.service.codec;

import com.esotericsoftware.kryo.KryoException;

/** A message exceeds a limit of this process. The coder can discard the message and read the next one. */
public final class RdmaMessageBudgetException extends KryoException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception for a limit without a property.
     *
     * @param message the limit and the value of the message
     */
    public RdmaMessageBudgetException(String message) {
        super(message);
    }

    /**
     * Creates an exception for a limit with a property.
     *
     * @param exceeded the exceeded quantity of the message, with its number and unit
     * @param limit the limit, with its number and unit
     * @param property the property to raise, without the prefix {@code rdma.serialization.}
     * @return the failure
     */
    public static RdmaMessageBudgetException of(String exceeded, String limit, String property) {
        return new RdmaMessageBudgetException(
                exceeded + ": the limit is " + limit + "; raise rdma.serialization." + property + ", or send less");
    }
}
