package io.rdmarpc.verbs.ibverbs.ffi;

import io.rdmarpc.verbs.ibverbs.ffi.struct.AsyncEventStruct;

/**
 * A source of asynchronous events: the library, or a test with events that the available device does not deliver. One
 * thread waits and reads events. Any thread may call {@link #wakeUp}. The owner must call no method after
 * {@link #close}.
 */
public interface AsyncEventSource {

    /**
     * Waits until events may be pending.
     *
     * @param nanos maximum time to wait
     */
    void await(long nanos);

    /**
     * Reads an event.
     *
     * @return 0 or an error number: {@code EAGAIN} if no event is pending, any other number if the source has failed
     */
    int take(AsyncEventStruct into);

    /** Acknowledges an event that was read ({@code ibv_ack_async_event}), so that its object can be destroyed. */
    void acknowledge(AsyncEventStruct event);

    /** Ends the current wait, or the next one if no thread waits. */
    void wakeUp();

    /** Frees the resources of the wait. */
    void close();
}
