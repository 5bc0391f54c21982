package io.rdmarpc.verbs.suite;

import io.rdmarpc.verbs.RdmaContext;
import io.rdmarpc.verbs.VerbsProviders;
import java.util.EnumMap;
import java.util.Map;

/**
 * A provider that the suite tests.
 *
 * @param label its name in the summary
 * @param provider its name among {@link VerbsProviders}
 * @param options the options of its device, which is opened once for each end
 * @param missing the traits that it lacks, with the reason
 */
record SuiteProvider(String label, String provider, Map<String, String> options, Map<Trait, String> missing) {

    SuiteProvider {
        missing = missing.isEmpty() ? Map.of() : new EnumMap<>(missing);
    }

    RdmaContext open() {
        return VerbsProviders.open(provider, VerbsProviders.AUTO, VerbsFixture.PORT, options)
                .context();
    }
}
