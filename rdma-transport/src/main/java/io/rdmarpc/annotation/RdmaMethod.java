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
     * Sets how long a call may take, all its attempts together, as in {@code 500ms} or {@code 2s}.
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
     * Names the executor that runs the method on the server, instead of {@link #execution()}.
     *
     * @return the name of a bean of type {@code java.util.concurrent.Executor}, none when empty
     */
    String executor() default "";

    /**
     * Chooses whether the thread that runs the method is interrupted when the caller has given up: it cancelled, or its
     * time is over. Not for {@link Execution#INLINE}.
     *
     * @return whether the method copes with interrupts
     */
    boolean interruptible() default false;

    /**
     * Promises that running the method twice does no more than running it once. The client then tries again when the
     * server is away or has too much to do, and when an attempt took longer than {@link #attemptTimeout()}. Not for
     * methods that stream.
     *
     * @return whether a call may be tried again
     */
    boolean idempotent() default false;

    /**
     * Sets how often a call of an idempotent method is tried at most, the first time included.
     *
     * @return 1 for no second time, 0 for {@code rdma.client.retry.max-attempts}
     */
    int attempts() default 0;

    /**
     * Sets the pause before the second attempt; it doubles before each further one. A pause that the server asks for wins
     * where it is longer.
     *
     * @return a duration, {@code rdma.client.retry.initial-interval} when empty
     */
    String backoff() default "";

    /**
     * Sets how long one attempt may take, so that a lost one can be tried again within {@link #timeout()}.
     *
     * @return a duration, {@code rdma.client.retry.attempt-timeout} when empty, and without that the whole time that is left
     */
    String attemptTimeout() default "";

    /**
     * Chooses not to wait for the end of a call: the client's method returns when the session has taken the call. What
     * fails later is counted and logged now and then. Only for {@code void}.
     *
     * @return whether nobody waits
     */
    boolean oneWay() default false;

    /** Where a server runs a method. */
    enum Execution {
        /** On a worker thread, virtual where the application uses virtual threads; it may block. */
        WORKER,
        /** On the polling thread: fastest, for short methods that never block. */
        INLINE,
        /** On a virtual thread of its own, also where the application uses platform threads; it may block. */
        VIRTUAL
    }
}
