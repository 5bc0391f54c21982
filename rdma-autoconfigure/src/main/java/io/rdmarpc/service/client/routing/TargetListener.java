package io.rdmarpc.service.client.routing;

/** Receives the names of the targets that this process calls. Thread-safe. */
@FunctionalInterface
public interface TargetListener {

    /**
     * Called when the first client of a target was created.
     *
     * @param target its name in the configuration
     */
    void onTarget(String target);
}
