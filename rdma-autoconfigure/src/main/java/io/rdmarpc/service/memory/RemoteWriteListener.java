package io.rdmarpc.service.memory;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.aot.hint.annotation.Reflective;

/**
 * Marks a method of a bean that handles writes of peers with {@code writeWithNotify}. The method may have these
 * parameters, each at most once and in any order:
 *
 * <ul>
 *   <li>{@code WriteNotification}: the whole notification,
 *   <li>{@code MemorySegment}: the memory of the region, valid until the method returns,
 *   <li>{@code int}: the 16-bit tag of the writer,
 *   <li>{@code UUID}: the identity of the writer.
 * </ul>
 *
 * <p>Methods run on a thread that all listeners share, in the order of each peer's writes, so they must be short. If
 * notifications are not handled in time, the peer's writes wait. An exception of a method is logged.
 */
@Documented
@Reflective
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface RemoteWriteListener {

    /**
     * Names a bean of type {@code LocalRegion}; the method handles writes to its grants from
     * {@link RemoteMemoryTemplate#grant}. If empty, the method handles writes without another listener: to memory that
     * peers have allocated here, and to grants of other regions.
     *
     * @return a bean name, or an empty string
     */
    String region() default "";
}
