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
     * Returns the maximum time of a call with all its attempts, such as {@code 500ms} or {@code 2s}.
     *
     * @return a duration; the target's timeout if empty
     */
    String timeout() default "";

    /**
     * Returns the kind of thread on which the server runs the method.
     *
     * @return the kind of execution
     */
    Execution execution() default Execution.WORKER;

    /**
     * Returns the name of the executor that runs the method on the server, instead of {@link #execution()}.
     *
     * @return the name of a bean of type {@code java.util.concurrent.Executor}; no executor if empty
     */
    String executor() default "";

    /**
     * Returns whether the server interrupts the thread that runs the method if the call is cancelled or reaches its
     * deadline. This setting has no effect with {@link Execution#INLINE}.
     *
     * @return true if the method handles interrupts
     */
    boolean interruptible() default false;

    /**
     * Returns whether running the method twice has the same effect as running it once. The client then retries a call
     * if the server is unreachable or overloaded, or if an attempt took longer than {@link #attemptTimeout()}. This
     * setting does not apply to methods that stream.
     *
     * @return true if the client may retry a call
     */
    boolean idempotent() default false;

    /**
     * Returns the maximum number of attempts of an idempotent call, including the first one.
     *
     * @return a number of attempts; 1 for no retry, 0 for {@code rdma.client.retry.max-attempts}
     */
    int attempts() default 0;

    /**
     * Returns the pause before the second attempt; it doubles before each further attempt. The client uses the pause
     * that the server requests if that is longer.
     *
     * @return a duration; {@code rdma.client.retry.initial-interval} if empty
     */
    String backoff() default "";

    /**
     * Returns the maximum time of one attempt, so that the client can retry a lost attempt within {@link #timeout()}.
     *
     * @return a duration; {@code rdma.client.retry.attempt-timeout} if empty; if that is not set either, the time that
     *     remains until the deadline
     */
    String attemptTimeout() default "";

    /**
     * Returns whether the client's method returns as soon as the session has accepted the call, without waiting until
     * it completes. Later failures are counted and logged at a limited rate. This setting applies only to {@code void}
     * methods.
     *
     * @return true for a one-way method
     */
    boolean oneWay() default false;

    /** The kind of thread on which a server runs a method. */
    enum Execution {
        /** A worker thread, which is a virtual thread if the application uses virtual threads. The method may block. */
        WORKER,
        /**
         * The thread that runs the event loop, usually the polling thread. This saves handing the call to another
         * thread. For short methods that never block.
         */
        INLINE,
        /** A new virtual thread, even if the application uses platform threads. The method may block. */
        VIRTUAL
    }
}
