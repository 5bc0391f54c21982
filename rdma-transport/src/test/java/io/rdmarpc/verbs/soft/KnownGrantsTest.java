package io.rdmarpc.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("What a peer has granted before")
class KnownGrantsTest {

    private static final int KEY = 0x0007_1234;
    private static final int REGISTRATION = 5;
    private static final int PAGES = 3;

    private final KnownGrants known = new KnownGrants();

    private static KnownGrants.Grant grant(long start, long first, long end) {
        return new KnownGrants.Grant(KEY, REGISTRATION, PAGES, start, first, end);
    }

    @Test
    @DisplayName("is found by key and registration, for ranges within")
    void shouldFindRangesWithin() {
        known.add(grant(0, 1000, 2000));

        assertThat(known.find(KEY, REGISTRATION, 1000, 1000)).isEqualTo(grant(0, 1000, 2000));
        assertThat(known.find(KEY, REGISTRATION, 999, 10)).isNull();
        assertThat(known.find(KEY, REGISTRATION, 1001, 1000)).isNull();
        assertThat(known.find(KEY, REGISTRATION, Long.MIN_VALUE, 10)).isNull();
        assertThat(known.find(KEY, REGISTRATION, Long.MAX_VALUE, 10)).isNull();
    }

    @Test
    @DisplayName("is not known of a key that has come again for another registration")
    void whenAKeyComesAgainThenItIsOfOtherMemory() {
        known.add(grant(0, 1000, 2000));

        assertThat(known.find(KEY, REGISTRATION + 1, 1000, 1000)).isNull();
        assertThat(known.find(KEY + 1, REGISTRATION, 1000, 1000)).isNull();
    }

    @Test
    @DisplayName("grows by what touches it, whichever comes first")
    void whenRangesTouchThenTheyAreOne() {
        known.add(grant(0, 1000, 2000));
        known.add(grant(0, 500, 1000));
        known.add(grant(0, 1500, 3000));

        assertThat(known.find(KEY, REGISTRATION, 500, 2500)).isEqualTo(grant(0, 500, 3000));
    }

    @Test
    @DisplayName("never holds what is between two ranges, or elsewhere in the peer's memory")
    void whenRangesDoNotTouchThenTheLastOneIsKnown() {
        known.add(grant(0, 1000, 2000));
        known.add(grant(0, 3000, 4000));
        assertThat(known.find(KEY, REGISTRATION, 1000, 1000)).isNull();
        assertThat(known.find(KEY, REGISTRATION, 3000, 1000)).isNotNull();

        known.add(grant(64, 3500, 4500));
        assertThat(known.find(KEY, REGISTRATION, 3000, 1000)).isNull();
        assertThat(known.find(KEY, REGISTRATION, 3500, 1000)).isNotNull();
    }

    @Test
    @DisplayName("is forgotten with the connection")
    void whenClearedThenNothingIsKnown() {
        known.add(grant(0, 1000, 2000));
        known.clear();

        assertThat(known.find(KEY, REGISTRATION, 1000, 1000)).isNull();
    }
}
