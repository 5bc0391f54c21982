package io.rdmarpc.verbs;

import io.rdmarpc.verbs.error.RdmaVerbsException;
import java.util.List;
import java.util.Map;

/**
 * An implementation of verbs, found by {@link java.util.ServiceLoader}. Loading one must have no side effects: a native
 * library is touched by {@link #devices} only.
 */
public interface VerbsProvider {

    /**
     * Returns the name it is chosen by.
     *
     * @return {@code ibverbs} or {@code soft}
     */
    String name();

    /**
     * Returns its place in an automatic choice.
     *
     * @return lower comes first
     */
    int order();

    /**
     * Lists the devices.
     *
     * @param options options by name, without a common prefix, such as {@code soft.port}; names of other providers are
     *     ignored
     * @return what can be opened, may be empty
     * @throws RdmaVerbsException when the provider cannot work here, with one clear reason: no library, no rights, no device
     */
    List<RdmaDevice> devices(Map<String, String> options);

    /**
     * Tells whether the kernel has devices of this kind, usable or not. Without any, an automatic choice of another provider is
     * no failure of this one.
     *
     * @return true also where that is not known
     */
    default boolean hasKernelDevices() {
        return true;
    }
}
