package io.rdmarpc.transport;

import io.rdmarpc.verbs.RdmaContext;
import io.rdmarpc.verbs.VerbsProviders;
import java.util.Map;

/** NICs on contexts that a test has opened itself. */
public final class TestNics {

    private TestNics() {}

    /** Creates a NIC on a context; closing the NIC closes the context. */
    public static NicContext open(RdmaContext context, int mtuBytes) {
        NicConfig config = new NicConfig(NicConfig.AUTO, NicConfig.AUTO, 1, NicConfig.AUTO_GID, mtuBytes, Map.of());
        return new NicContext(new VerbsProviders.Selection("soft", context, "a test"), config);
    }
}
