package io.rdmarpc.verbs.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.QueuePairConfig;
import io.rdmarpc.verbs.attributes.DeviceAttributes;
import io.rdmarpc.verbs.attributes.GidType;
import io.rdmarpc.verbs.attributes.LinkLayer;
import io.rdmarpc.verbs.attributes.PortAttributes;
import io.rdmarpc.verbs.attributes.QueuePairCapabilities;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The attributes of a device, and that it enforces its limits. */
abstract class DeviceCases extends VerbsCases {

    DeviceCases(SuiteProvider provider) {
        super(provider);
    }

    private VerbsExceptionCheck rejected(QueuePairCapabilities sizes) {
        return () -> here.domain.createQueuePair(new QueuePairConfig(QueuePairType.RC, here.cq, here.cq, sizes, false));
    }

    /** A call that must be rejected. */
    @FunctionalInterface
    private interface VerbsExceptionCheck {
        AutoCloseable run();

        default void assertRejected() {
            assertThatExceptionOfType(RdmaVerbsException.class)
                    .isThrownBy(this::run)
                    .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL))
                    .satisfies(e -> assertThat(e.device()).isNotEmpty());
        }
    }

    @Test
    void shouldReportLimits() {
        DeviceAttributes limits = here.context.attributes();
        assertThat(limits.physicalPortCount()).isPositive();
        assertThat(limits.maxQp()).isPositive();
        assertThat(limits.maxQpWr()).isGreaterThanOrEqualTo(End.DEPTH);
        assertThat(limits.maxSge()).isGreaterThanOrEqualTo(End.SGES);
        assertThat(limits.maxCq()).isPositive();
        assertThat(limits.maxCqe()).isGreaterThanOrEqualTo(1000);
        assertThat(limits.maxMr()).isPositive();
        assertThat(limits.maxMrSizeBytes()).isGreaterThanOrEqualTo(VerbsFixture.BYTES);
        assertThat(limits.maxQpRdAtom()).isPositive();
        assertThat(limits.maxQpInitRdAtom()).isPositive();
    }

    @Test
    void shouldHaveAnActivePort() {
        PortAttributes port = here.context.queryPort(VerbsFixture.PORT);
        assertThat(port.isActive()).isTrue();
        assertThat(port.linkLayer()).isEqualTo(LinkLayer.ETHERNET);
        assertThat(port.activeMtu()).isLessThanOrEqualTo(port.maxMtu());
        assertThat(port.maxMessageBytes()).isGreaterThanOrEqualTo(VerbsFixture.LONGEST);
        assertThat(port.gidTableLength()).isPositive();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2, 200})
    void shouldRejectOtherPorts(int port) {
        assertThatExceptionOfType(RdmaVerbsException.class).isThrownBy(() -> here.context.queryPort(port));
    }

    @Test
    void shouldReturnGidsInOrder() {
        var gids = here.context.gidTable(VerbsFixture.PORT);
        assertThat(gids).isNotEmpty();
        assertThat(gids).isSortedAccordingTo((a, b) -> Integer.compare(a.index(), b.index()));
        assertThat(gids).anyMatch(entry -> entry.type() == GidType.ROCE_V2);
    }

    @Test
    void shouldHaveTheDefaultPartition() {
        assertThat(here.context.queryPartitionKey(VerbsFixture.PORT, 0)).isEqualTo(0xFFFF);
        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() -> here.context.queryPartitionKey(VerbsFixture.PORT, 50_000));
    }

    @Test
    void shouldOpenIndependentContexts() {
        assertThat(here.context.deviceName()).isEqualTo(there.context.deviceName());
        QueuePair one = fixture.closing(here.create(QueuePairType.UD));
        QueuePair other = fixture.closing(there.create(QueuePairType.UD));
        one.close();
        assertThat(there.ready(other).queryState()).isNotNull();
    }

    @ParameterizedTest
    @EnumSource(QueuePairType.class)
    void shouldGrantAtLeastTheRequestedSizes(QueuePairType type) {
        QueuePair qp = fixture.closing(here.create(type));
        assertThat(qp.capabilities().maxSendWr()).isGreaterThanOrEqualTo(End.DEPTH);
        assertThat(qp.capabilities().maxReceiveWr()).isGreaterThanOrEqualTo(End.DEPTH);
        assertThat(qp.capabilities().maxSendSge()).isGreaterThanOrEqualTo(End.SGES);
        assertThat(qp.capabilities().maxReceiveSge()).isGreaterThanOrEqualTo(End.SGES);
    }

    @Test
    void shouldRejectAQueuePairOverTheDepthLimit() {
        int limit = here.context.attributes().maxQpWr();
        rejected(new QueuePairCapabilities(limit + 1, 4, 1, 1, 0)).assertRejected();
        rejected(new QueuePairCapabilities(4, limit + 1, 1, 1, 0)).assertRejected();
    }

    @Test
    void shouldRejectAQueuePairOverTheEntryLimit() {
        int limit = here.context.attributes().maxSge();
        rejected(new QueuePairCapabilities(4, 4, limit + 1, 1, 0)).assertRejected();
        rejected(new QueuePairCapabilities(4, 4, 1, limit + 1, 0)).assertRejected();
    }

    @Test
    void shouldAssignUniqueQueuePairNumbers() {
        QueuePair one = fixture.closing(here.create(QueuePairType.UD));
        QueuePair other = fixture.closing(here.create(QueuePairType.UD));
        assertThat(one.number()).isNotEqualTo(other.number());
    }
}
