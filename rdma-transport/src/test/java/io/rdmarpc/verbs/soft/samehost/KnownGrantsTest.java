package io.rdmarpc.verbs.soft.samehost;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("An earlier grant of a peer")
class KnownGrantsTest {

    private static final int KEY = 0x0007_1234;
    private static final long ENTRY = 9L << 32 | 5;
    private static final int PAGES = 3;

    private final KnownGrants known = new KnownGrants();

    private static KnownGrants.Grant grant(long start, long first, long end) {
        return new KnownGrants.Grant(KEY, ENTRY, PAGES, start, first, end);
    }

    @Test
    @DisplayName("is found by its key, for ranges inside it")
    void shouldFindRangesInside() {
        known.add(grant(0, 1000, 2000));

        assertThat(known.find(KEY, 1000, 1000)).isEqualTo(grant(0, 1000, 2000));
        assertThat(known.find(KEY, 999, 10)).isNull();
        assertThat(known.find(KEY, 1001, 1000)).isNull();
        assertThat(known.find(KEY, Long.MIN_VALUE, 10)).isNull();
        assertThat(known.find(KEY, Long.MAX_VALUE, 10)).isNull();
    }

    @Test
    @DisplayName("is found by its first address, because its owner may have replaced the key")
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
    @DisplayName("is not merged with the grant of another registration of the same key")
    void whenAKeyIsUsedAgainThenItIsForOtherMemory() {
        known.add(grant(0, 1000, 2000));
        KnownGrants.Grant later = new KnownGrants.Grant(KEY, ENTRY + 1, PAGES, 0, 2000, 3000);
        known.add(later);

        assertThat(known.find(KEY, 1000, 1000)).isNull();
        assertThat(known.find(KEY, 2000, 1000)).isEqualTo(later);
        assertThat(known.find(KEY + 1, 2000, 1000)).isNull();
    }

    @Test
    @DisplayName("is removed if its entry is no longer valid, unless a later grant has replaced it")
    void whenItsKeyHasEndedThenItIsRemoved() {
        known.add(grant(0, 1000, 2000));
        known.remove(grant(0, 1000, 1999));
        assertThat(known.find(KEY, 1000, 1000)).isNotNull();

        known.remove(grant(0, 1000, 2000));
        assertThat(known.find(KEY, 1000, 1000)).isNull();
    }

    @Test
    @DisplayName("is merged with adjacent ranges in any order")
    void whenRangesTouchThenTheyAreMerged() {
        known.add(grant(0, 1000, 2000));
        known.add(grant(0, 500, 1000));
        known.add(grant(0, 1500, 3000));

        assertThat(known.find(KEY, 500, 2500)).isEqualTo(grant(0, 500, 3000));
    }

    @Test
    @DisplayName("never covers a gap between two ranges, or other memory of the peer")
    void whenRangesDoNotTouchThenTheLastOneIsKept() {
        known.add(grant(0, 1000, 2000));
        known.add(grant(0, 3000, 4000));
        assertThat(known.find(KEY, 1000, 1000)).isNull();
        assertThat(known.find(KEY, 3000, 1000)).isNotNull();

        known.add(grant(64, 3500, 4500));
        assertThat(known.find(KEY, 3000, 1000)).isNull();
        assertThat(known.find(KEY, 3500, 1000)).isNotNull();
    }

    @Test
    @DisplayName("is discarded with the connection")
    void whenClearedThenNothingIsKnown() {
        known.add(grant(0, 1000, 2000));
        known.clear();

        assertThat(known.find(KEY, 1000, 1000)).isNull();
    }
}
