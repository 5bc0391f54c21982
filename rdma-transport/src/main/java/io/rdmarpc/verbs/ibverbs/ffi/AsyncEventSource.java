package io.rdmarpc.verbs.ibverbs.ffi;

import io.rdmarpc.verbs.ibverbs.ffi.struct.AsyncEventStruct;

/**
 * Where asynchronous events come from: the library, or a test that makes those a device at hand cannot. One thread
 * waits and takes; {@link #wakeUp} may be called from any. The owner sees to it that nothing is called after
 * {@link #close}.
 */
public interface AsyncEventSource {

    /**
     * Waits until there may be events.
     *
     * @param nanos how long at most
     */
    void await(long nanos);

    /**
     * Takes an event.
     *
     * @return 0, or an error number: {@code EAGAIN} when there is none now, another when there will be none any more
     */
    int take(AsyncEventStruct into);

    /** Lets the object that a taken event is about be destroyed ({@code ibv_ack_async_event}). */
    void acknowledge(AsyncEventStruct event);

    /** Makes the present wait, else the next one, return. */
    void wakeUp();

    /** Frees what waiting needed. */
    void close();
}
