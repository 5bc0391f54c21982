package io.rdmarpc.service.codec;

import com.esotericsoftware.kryo.KryoException;

/** A message would cost more than this side spends on it. The coder that met it can forget the message and read the next one. */
public final class RdmaMessageBudgetException extends KryoException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates one for a limit without a property.
     *
     * @param message the limit, and what the message has
     */
    public RdmaMessageBudgetException(String message) {
        super(message);
    }

    /**
     * Returns the failure of a limit that has a property.
     *
     * @param exceeded what the message has, with its number
     * @param limit the limit, with its number
     * @param property the property to raise, without its prefix
     * @return the failure
     */
    public static RdmaMessageBudgetException of(String exceeded, String limit, String property) {
        return new RdmaMessageBudgetException(exceeded + ": " + limit + " is the limit here; raise rdma.serialization."
                + property + ", or send less");
    }
}
