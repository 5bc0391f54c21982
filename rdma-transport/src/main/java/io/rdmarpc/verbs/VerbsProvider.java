package io.rdmarpc.verbs;

import io.rdmarpc.verbs.error.RdmaVerbsException;
import java.util.List;
import java.util.Map;

/**
 * An implementation of verbs, which {@link java.util.ServiceLoader} finds. Loading a provider must have no side
 * effects: only {@link #devices} may load a native library.
 */
public interface VerbsProvider {

    /**
     * Returns the name by which settings select the provider.
     *
     * @return {@code ibverbs} or {@code soft}
     */
    String name();

    /**
     * Returns the provider's position in an automatic selection.
     *
     * @return the position; the lowest comes first
     */
    int order();

    /**
     * Returns the devices of this provider.
     *
     * @param options options by name, without a common prefix, such as {@code soft.port}; names of other providers are
     *     ignored
     * @return the devices that can be opened, may be empty
     * @throws RdmaVerbsException if the provider does not work on this host, with the reason: no library, no rights, or
     *     no device
     */
    List<RdmaDevice> devices(Map<String, String> options);

    /**
     * Returns whether the kernel has devices of this kind, usable or not. If it has none, an automatic selection may
     * use another provider without reporting a failure of this one.
     *
     * @return true also if the provider cannot determine this
     */
    default boolean hasKernelDevices() {
        return true;
    }
}
