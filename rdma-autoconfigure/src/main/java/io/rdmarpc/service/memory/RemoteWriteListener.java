package io.rdmarpc.service.memory;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.aot.hint.annotation.Reflective;

/**
 * Has a method of a bean called when a peer has written with {@code writeWithNotify}. The method takes what it wants, each at
 * most once and in any order:
 *
 * <ul>
 *   <li>{@code WriteNotification}: all there is to know,
 *   <li>{@code MemorySegment}: the region's memory, valid until the method returns,
 *   <li>{@code int}: the 16 bits that the writer has added,
 *   <li>{@code UUID}: who has written.
 * </ul>
 *
 * <p>Methods run on a thread that all listeners share, in the order of each peer's writes: they must be short. A peer whose
 * notices are not taken in time is held up. What a method throws is logged.
 */
@Documented
@Reflective
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface RemoteWriteListener {

    /**
     * Names the bean of type {@code LocalRegion} whose grants are listened to, when they are made with {@link
     * RemoteMemoryTemplate#grant}. When empty, writes are told that no other listener is told: into memory that peers have allocated
     * here, and into grants of other regions.
     *
     * @return a bean's name, or nothing
     */
    String region() default "";
}
