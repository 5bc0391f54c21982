package io.rdmarpc.service.codec;

import java.util.List;
import org.springframework.core.ResolvableType;

/**
 * What one kind of message consists of: the arguments of a method, or its result.
 *
 * @param number counts from 0 within a service, to find what was prepared for it
 * @param place the message in words, such as "the arguments of orders.place"
 * @param types the declared types of its values, resolved against the interface; empty where a method returns nothing
 */
public record MessageShape(int number, String place, List<ResolvableType> types) {

    /**
     * Copies the list.
     *
     * @param number counts from 0 within a service
     * @param place the message in words
     * @param types the declared types of its values
     */
    public MessageShape {
        types = List.copyOf(types);
    }
}
