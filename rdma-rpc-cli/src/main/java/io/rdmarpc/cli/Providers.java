package io.rdmarpc.cli;

import io.rdmarpc.verbs.VerbsProvider;
import java.util.Comparator;
import java.util.List;
import java.util.ServiceLoader;

/** The available verbs providers, hardware first. */
final class Providers {

    private Providers() {}

    static List<VerbsProvider> all() {
        return ServiceLoader.load(VerbsProvider.class, VerbsProvider.class.getClassLoader()).stream()
                .map(ServiceLoader.Provider::get)
                .sorted(Comparator.comparingInt(VerbsProvider::order))
                .toList();
    }
}
