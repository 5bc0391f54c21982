package io.rdmarpc.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Settings of one method of an {@link RdmaService}. */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface RdmaMethod {

    /**
     * Sets how long a call may take, as in {@code 500ms} or {@code 2s}.
     *
     * @return a duration, the target's time-out when empty
     */
    String timeout() default "";

    /**
     * Chooses where the server runs the method.
     *
     * @return where
     */
    Execution execution() default Execution.WORKER;

    /**
     * Chooses whether the thread that runs the method is interrupted when the caller has given up: it cancelled, or its
     * time is over. Not for {@link Execution#INLINE}.
     *
     * @return whether the method copes with interrupts
     */
    boolean interruptible() default false;

    /** Where a server runs a method. */
    enum Execution {
        /** On a worker thread, virtual where the application uses virtual threads; it may block. */
        WORKER,
        /** On the polling thread: fastest, for short methods that never block. */
        INLINE
    }
}
