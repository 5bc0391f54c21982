package io.rdmarpc.remote.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.concurrent.FakeClock;
import org.junit.jupiter.api.Test;

/** The end of a lease while a renewal is in progress. */
class LeaseDeadlineTest {

    private static final long LEASE = 1_000;

    /** The clock overflows during a test. */
    private final FakeClock clock = new FakeClock(Long.MAX_VALUE - LEASE / 2);

    private final LeaseDeadline deadline = new LeaseDeadline(clock, true, clock.nanoTime() + LEASE);

    @Test
    void whenALongerLeaseIsRequestedThenItCountsFromTheRequestAfterTheResponse() {
        LeaseDeadline.Renewal renewal = deadline.beginRenewal(3 * LEASE);
        clock.advanceNanos(LEASE - 100);
        assertThat(deadline.remainingNanos()).isEqualTo(100);

        renewal.agreed(2 * LEASE);

        assertThat(deadline.remainingNanos()).isEqualTo(LEASE + 100);
    }

    @Test
    void whenAShorterLeaseIsRequestedThenItCountsBeforeTheResponse() {
        LeaseDeadline.Renewal renewal = deadline.beginRenewal(LEASE / 10);
        assertThat(deadline.remainingNanos()).isEqualTo(LEASE / 10);

        renewal.agreed(LEASE / 10);

        assertThat(deadline.remainingNanos()).isEqualTo(LEASE / 10);
    }

    @Test
    void whenALongAndAShortLeaseAreRequestedThenTheShortOneLimitsTheLongOne() {
        LeaseDeadline.Renewal longer = deadline.beginRenewal(5 * LEASE);
        LeaseDeadline.Renewal shorter = deadline.beginRenewal(LEASE / 10);

        longer.agreed(5 * LEASE);

        assertThat(deadline.remainingNanos()).isEqualTo(LEASE / 10);
        shorter.agreed(LEASE / 10);
        assertThat(deadline.remainingNanos()).isEqualTo(LEASE / 10);
    }

    @Test
    void whenNoResponseArrivesThenTheShorterLeaseCounts() {
        deadline.beginRenewal(5 * LEASE).failed();
        assertThat(deadline.remainingNanos()).isEqualTo(LEASE);

        deadline.beginRenewal(LEASE / 10).failed();
        assertThat(deadline.remainingNanos()).isEqualTo(LEASE / 10);
    }

    @Test
    void whenTheOwnerDecidesThenOnlyTheResponseChangesTheDeadline() {
        LeaseDeadline ofGrant = new LeaseDeadline(clock, false, clock.nanoTime() + LEASE);
        LeaseDeadline.Renewal renewal = ofGrant.beginRenewal(LEASE / 10);
        assertThat(ofGrant.remainingNanos()).isEqualTo(LEASE);

        renewal.agreed(3 * LEASE);

        assertThat(ofGrant.remainingNanos()).isEqualTo(3 * LEASE);
        ofGrant.beginRenewal(LEASE / 10).failed();
        assertThat(ofGrant.remainingNanos()).isEqualTo(3 * LEASE);
    }
}
