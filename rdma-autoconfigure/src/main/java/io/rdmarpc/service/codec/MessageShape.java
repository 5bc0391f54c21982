package io.rdmarpc.service.codec;

import java.util.List;
import org.springframework.core.ResolvableType;

/**
 * The values of one kind of message: the arguments of a method, or its result.
 *
 * @param number number within the service, from 0, by which coders find what they prepared for it
 * @param place description of the message, such as "the arguments of orders.place"
 * @param types declared types of the values, resolved against the interface; empty if a method returns nothing
 */
public record MessageShape(int number, String place, List<ResolvableType> types) {

    /**
     * Copies the list of types.
     *
     * @param number number within the service, from 0
     * @param place description of the message
     * @param types declared types of the values
     */
    public MessageShape {
        types = List.copyOf(types);
    }
}
