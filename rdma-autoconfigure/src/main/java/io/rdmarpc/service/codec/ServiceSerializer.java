package io.rdmarpc.service.codec;

import io.rdmarpc.rpc.ServiceContract;
import java.util.List;

/** The message format of one service. Thread-safe. */
public interface ServiceSerializer {

    /**
     * Describes what both processes must have in common: the format itself, and every serializable class with its
     * fields. The client compares its description with the server's before the first call. A difference is reported
     * to the caller with these descriptions. A shape has the form {@code kind(name: type, name: type)}. A shape that
     * starts with {@code evolving} may have more or fewer members on one side.
     *
     * @return the descriptions, equal in all processes with the same interface
     */
    List<ServiceContract.Type> types();

    /**
     * Creates a coder. Called if all other coders are in use. One thread at a time uses a coder. A coder that throws
     * is discarded with the state of the failed message.
     *
     * @return a new coder
     */
    MessageCoder newCoder();
}
