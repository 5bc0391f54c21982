package io.rdmarpc.verbs.soft;

import io.rdmarpc.verbs.RdmaDevice;
import io.rdmarpc.verbs.VerbsProvider;
import java.util.List;
import java.util.Map;

/** Provides the software RNIC. Public for {@link java.util.ServiceLoader} only. */
public final class SoftProvider implements VerbsProvider {

    private static final int AFTER_REAL_DEVICES = 100;

    /** Creates the provider; sockets are opened with the device. */
    public SoftProvider() {}

    @Override
    public String name() {
        return "soft";
    }

    @Override
    public int order() {
        return AFTER_REAL_DEVICES;
    }

    @Override
    public List<RdmaDevice> devices(Map<String, String> options) {
        return List.of(new SoftDevice(SoftRnicOptions.parse(options)));
    }
}
