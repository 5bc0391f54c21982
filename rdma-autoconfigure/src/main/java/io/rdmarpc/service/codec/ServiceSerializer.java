package io.rdmarpc.service.codec;

import io.rdmarpc.rpc.ServiceContract;
import java.util.List;

/** The format of one service's messages. Any thread. */
public interface ServiceSerializer {

    /**
     * Describes what both processes must have alike: the format itself, and every class that can travel with its fields.
     * The client's description is compared with the server's before the first call; words of the difference are what the
     * caller sees. A shape reads {@code kind(name: type, name: type)}. One that starts with {@code evolving} may have more or
     * fewer members on one side.
     *
     * @return the descriptions, the same in every process with the same interface
     */
    List<ServiceContract.Type> types();

    /**
     * Makes what writes and reads messages. Called when all others are busy; a coder is used again, by one thread at a time,
     * until it throws: then it is dropped, with whatever the failed message left in it.
     *
     * @return a new coder
     */
    MessageCoder newCoder();
}
