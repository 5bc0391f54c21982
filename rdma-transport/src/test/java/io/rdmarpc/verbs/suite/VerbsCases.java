package io.rdmarpc.verbs.suite;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.QueuePairConfig;
import io.rdmarpc.verbs.attributes.QueuePairCapabilities;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** The cases of one subject, with two ends that are opened once for all cases. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ExtendWith(SuiteReport.class)
@Timeout(120)
abstract class VerbsCases {

    private final SuiteProvider provider;
    VerbsFixture fixture;
    End here;
    End there;

    @SuppressWarnings("NullAway.Init") // Opened before the first case.
    VerbsCases(SuiteProvider provider) {
        this.provider = provider;
    }

    final SuiteProvider provider() {
        return provider;
    }

    @BeforeAll
    final void open() {
        fixture = new VerbsFixture(provider);
        here = fixture.here;
        there = fixture.there;
    }

    @AfterEach
    final void endCase() throws Exception {
        fixture.endCase();
    }

    @AfterAll
    final void close() {
        fixture.close();
    }

    /** Skips the case with a reason if the provider lacks the trait. */
    final void needs(Trait trait) {
        String reason = provider.missing().getOrDefault(trait, "");
        assumeTrue(reason.isEmpty(), trait + ": " + reason);
    }

    /** Creates an object. Skips the case with the provider's message if the provider does not support it. */
    final <T> T ifThere(Supplier<T> maker) {
        try {
            return maker.get();
        } catch (RdmaVerbsException e) {
            assumeTrue(e.errno() != Errno.EOPNOTSUPP, e.getMessage());
            throw e;
        }
    }

    /** Creates two queue pairs of the given sizes, which are closed after the case. */
    final Connection special(QueuePairType type, QueuePairCapabilities sizes, boolean signalAll) {
        QueuePair one =
                here.domain.createQueuePair(new QueuePairConfig(type, here.cq, here.cq, sizes, signalAll).unchecked());
        QueuePair other = there.domain.createQueuePair(
                new QueuePairConfig(type, there.cq, there.cq, sizes, signalAll).unchecked());
        return fixture.closing(new Connection(fixture, one, other)).connect();
    }
}
