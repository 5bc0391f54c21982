package io.rdmarpc.service.client.routing;

import java.util.List;
import java.util.function.Consumer;

/**
 * Finds the instances of a target and says when they change. A bean of this type adds a kind of address, such as {@code
 * discovery:orders}. Any thread.
 */
public interface RdmaTargetResolver {

    /**
     * Tells whether it knows this kind of address.
     *
     * @param address what the target's settings say
     * @return true when {@link #watch} may be called with it
     */
    boolean supports(String address);

    /**
     * Begins to watch. What it finds goes to the listener as a whole, first as soon as it is known and then after each
     * change. When it cannot find out it says nothing: the instances known last stay.
     *
     * @param address what the target's settings say
     * @param listener takes the instances; quick, never called by two threads at a time
     * @return ends the watching
     */
    Watch watch(String address, Consumer<List<RdmaInstance>> listener);

    /** A watch that goes on until it is closed. */
    interface Watch extends AutoCloseable {

        /** Looks now rather than at the next regular time, since an instance does not answer. Does not wait. */
        default void refresh() {}

        /** Ends the watching. A second call does nothing. */
        @Override
        void close();
    }
}
