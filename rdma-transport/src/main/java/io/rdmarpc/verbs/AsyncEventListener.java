package io.rdmarpc.verbs;

/** Receives asynchronous events. A daemon thread of the device's context calls it, one event at a time. */
@FunctionalInterface
public interface AsyncEventListener {

    /**
     * Handles an event. The listener may close the object that the event concerns. An exception goes to the thread's
     * uncaught exception handler, and the thread then delivers the next event.
     *
     * @param event the event
     */
    void onEvent(AsyncEvent event);
}
