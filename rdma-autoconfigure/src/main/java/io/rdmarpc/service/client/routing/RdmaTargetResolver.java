package io.rdmarpc.service.client.routing;

import java.util.List;
import java.util.function.Consumer;

/**
 * Resolves a target to its instances and reports changes. A bean of this type adds a kind of address, such as
 * {@code discovery:orders}. Thread-safe.
 */
public interface RdmaTargetResolver {

    /**
     * Returns whether this resolver supports an address.
     *
     * @param address the configured address of the target
     * @return true if {@link #watch} may be called with it
     */
    boolean supports(String address);

    /**
     * Begins to watch a target. The listener receives the complete list, first when it is known and then after each
     * change. If the query fails, the listener is not called, and the last known instances remain in use.
     *
     * @param address the configured address of the target
     * @param listener receives the instances; it returns quickly and is not called concurrently
     * @return the watch, which the caller closes
     */
    Watch watch(String address, Consumer<List<RdmaInstance>> listener);

    /** A watch, which runs until it is closed. */
    interface Watch extends AutoCloseable {

        /**
         * Queries the instances now instead of at the next interval, because an instance does not respond. Does not
         * block.
         */
        default void refresh() {}

        /** Ends the watch. A second call has no effect. */
        @Override
        void close();
    }
}
