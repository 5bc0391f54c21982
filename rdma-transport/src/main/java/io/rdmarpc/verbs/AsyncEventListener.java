package io.rdmarpc.verbs;

/** Hears of asynchronous events. Called on a daemon thread of the device's context, one event at a time. */
@FunctionalInterface
public interface AsyncEventListener {

    /**
     * Takes an event. May close the object it is about; an exception is passed to the thread's uncaught exception
     * handler and the next event is delivered all the same.
     *
     * @param event what happened
     */
    void onEvent(AsyncEvent event);
}
