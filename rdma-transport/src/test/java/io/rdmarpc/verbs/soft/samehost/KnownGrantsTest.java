package io.rdmarpc.verbs.soft.samehost;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("What a peer has granted before")
class KnownGrantsTest {

    private static final int KEY = 0x0007_1234;
    private static final long ENTRY = 9L << 32 | 5;
    private static final int PAGES = 3;

    private final KnownGrants known = new KnownGrants();

    private static KnownGrants.Grant grant(long start, long first, long end) {
        return new KnownGrants.Grant(KEY, ENTRY, PAGES, start, first, end);
    }

    @Test
    @DisplayName("is found by its key, for ranges within")
    void shouldFindRangesWithin() {
        known.add(grant(0, 1000, 2000));

        assertThat(known.find(KEY, 1000, 1000)).isEqualTo(grant(0, 1000, 2000));
        assertThat(known.find(KEY, 999, 10)).isNull();
        assertThat(known.find(KEY, 1001, 1000)).isNull();
        assertThat(known.find(KEY, Long.MIN_VALUE, 10)).isNull();
        assertThat(known.find(KEY, Long.MAX_VALUE, 10)).isNull();
    }

    @Test
    @DisplayName("is found by the address where it begins, for its owner may have replaced the key")
    void shouldFindByAddress() {
        known.add(grant(0, 0x10_0000, 0x11_0000));

        assertThat(known.findAt(0x10_0000, 0x1_0000)).isEqualTo(grant(0, 0x10_0000, 0x11_0000));
        assertThat(known.findAt(0x10_0000, 0x1_0001)).isNull();
        assertThat(known.findAt(0x10_0001, 1)).isNull();
        known.remove(grant(0, 0x10_0000, 0x11_0000));
        assertThat(known.findAt(0x10_0000, 1)).isNull();
        known.clear();
        assertThat(known.findAt(0x10_0000, 1)).isNull();
    }

    @Test
    @DisplayName("is not mixed with what another registration of the same key was granted")
    void whenAKeyComesAgainThenItIsOfOtherMemory() {
        known.add(grant(0, 1000, 2000));
        KnownGrants.Grant later = new KnownGrants.Grant(KEY, ENTRY + 1, PAGES, 0, 2000, 3000);
        known.add(later);

        assertThat(known.find(KEY, 1000, 1000)).isNull();
        assertThat(known.find(KEY, 2000, 1000)).isEqualTo(later);
        assertThat(known.find(KEY + 1, 2000, 1000)).isNull();
    }

    @Test
    @DisplayName("is forgotten when its entry does not hold any more, unless another was granted since")
    void whenItsKeyHasEndedThenItIsForgotten() {
        known.add(grant(0, 1000, 2000));
        known.remove(grant(0, 1000, 1999));
        assertThat(known.find(KEY, 1000, 1000)).isNotNull();

        known.remove(grant(0, 1000, 2000));
        assertThat(known.find(KEY, 1000, 1000)).isNull();
    }

    @Test
    @DisplayName("grows by what touches it, whichever comes first")
    void whenRangesTouchThenTheyAreOne() {
        known.add(grant(0, 1000, 2000));
        known.add(grant(0, 500, 1000));
        known.add(grant(0, 1500, 3000));

        assertThat(known.find(KEY, 500, 2500)).isEqualTo(grant(0, 500, 3000));
    }

    @Test
    @DisplayName("never holds what is between two ranges, or elsewhere in the peer's memory")
    void whenRangesDoNotTouchThenTheLastOneIsKnown() {
        known.add(grant(0, 1000, 2000));
        known.add(grant(0, 3000, 4000));
        assertThat(known.find(KEY, 1000, 1000)).isNull();
        assertThat(known.find(KEY, 3000, 1000)).isNotNull();

        known.add(grant(64, 3500, 4500));
        assertThat(known.find(KEY, 3000, 1000)).isNull();
        assertThat(known.find(KEY, 3500, 1000)).isNotNull();
    }

    @Test
    @DisplayName("is forgotten with the connection")
    void whenClearedThenNothingIsKnown() {
        known.add(grant(0, 1000, 2000));
        known.clear();

        assertThat(known.find(KEY, 1000, 1000)).isNull();
    }
}
