package io.rdmarpc.verbs.suite;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestWatcher;

/** Counts the cases of each provider. Prints the counts at the end, and each skipped case with its reason. */
final class SuiteReport implements TestWatcher {

    /** The counts of all providers, printed when the run ends. */
    private static final class Counts implements AutoCloseable {

        private final Map<String, Count> byProvider = new ConcurrentHashMap<>();

        @Override
        public void close() {
            new TreeMap<>(byProvider).forEach((label, count) -> System.out.print(count.text(label)));
        }
    }

    /** The counts of one provider. */
    private static final class Count {

        private int passed;
        private int failed;
        private final Map<String, String> skipped = new TreeMap<>();

        private synchronized String text(String label) {
            StringBuilder text = new StringBuilder("verbs suite on " + label + ": "
                    + (passed + failed) + " run, " + passed + " passed, " + failed + " failed, " + skipped.size()
                    + " skipped\n");
            skipped.forEach((name, reason) -> text.append("verbs suite on ")
                    .append(label)
                    .append(": skipped ")
                    .append(name)
                    .append(": ")
                    .append(reason)
                    .append('\n'));
            return text.toString();
        }
    }

    private static Count count(ExtensionContext context) {
        String label = context.getTestInstances()
                .flatMap(instances -> instances.findInstance(VerbsCases.class))
                .map(cases -> cases.provider().label())
                .orElse("unknown");
        return context.getRoot()
                .getStore(ExtensionContext.Namespace.create(SuiteReport.class))
                .computeIfAbsent(Counts.class, key -> new Counts(), Counts.class)
                .byProvider
                .computeIfAbsent(label, key -> new Count());
    }

    @Override
    public void testSuccessful(ExtensionContext context) {
        Count count = count(context);
        synchronized (count) {
            count.passed++;
        }
    }

    @Override
    public void testFailed(ExtensionContext context, Throwable cause) {
        Count count = count(context);
        synchronized (count) {
            count.failed++;
        }
    }

    @Override
    public void testAborted(ExtensionContext context, Throwable cause) {
        skipped(context, String.valueOf(cause.getMessage()));
    }

    @Override
    public void testDisabled(ExtensionContext context, Optional<String> reason) {
        skipped(context, reason.orElse("disabled"));
    }

    private static void skipped(ExtensionContext context, String reason) {
        Count count = count(context);
        String method = context.getRequiredTestMethod().getName();
        String shown = context.getDisplayName();
        String name = context.getRequiredTestClass().getSimpleName() + "." + method
                + (shown.startsWith(method) ? "" : " " + shown);
        synchronized (count) {
            count.skipped.put(name, reason.replaceFirst("^Assumption failed: ", ""));
        }
    }
}
