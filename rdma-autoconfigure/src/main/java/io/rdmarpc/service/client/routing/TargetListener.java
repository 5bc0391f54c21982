package io.rdmarpc.service.client.routing;

/** Hears which targets this process calls. Any thread. */
@FunctionalInterface
public interface TargetListener {

    /**
     * The first client of a target was made.
     *
     * @param target its name in the configuration
     */
    void onTarget(String target);
}
