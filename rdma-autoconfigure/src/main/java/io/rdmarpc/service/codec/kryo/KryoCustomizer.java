package io.rdmarpc.service.codec.kryo;

import com.esotericsoftware.kryo.Kryo;

/**
 * Registers classes that do not follow from a service's signatures, such as implementations of an interface that is
 * not sealed, and custom serializers. Beans of this type are applied in their order to every Kryo of every service.
 *
 * <p>Both processes must register the same classes with the same serializers. They compare them when they connect,
 * and reject the connection if they differ. The order of registrations does not matter, because class numbers follow
 * from class names. A number that is passed to {@code register} is kept.
 */
@FunctionalInterface
public interface KryoCustomizer {

    /**
     * Customizes a new Kryo. It is called more than once and must do the same each time.
     *
     * @param kryo a Kryo that requires registration and has the standard types registered
     */
    void customize(Kryo kryo);
}
