package io.rdmarpc.service.codec.kryo;

import com.esotericsoftware.kryo.Kryo;

/**
 * Registers classes that cannot be derived from a service's signatures, such as the implementations of an interface that
 * is not sealed, or serializers of one's own. Beans of this type are applied in their order, to every Kryo of every
 * service.
 *
 * <p>Both processes must register the same classes with the same serializers: they compare when they connect, and refuse to
 * talk when they differ. The order does not matter, for the numbers that classes have in messages follow from their names; a
 * number that is given to {@code register} is kept.
 */
@FunctionalInterface
public interface KryoCustomizer {

    /**
     * Customizes a new Kryo. Called more than once; must do the same each time.
     *
     * @param kryo requires registration and has the standard types registered
     */
    void customize(Kryo kryo);
}
