package io.rdmarpc.demo.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.rdmarpc.demo.cache.CacheEntry.State;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The cache's table")
class CacheTableTest {

    private static final int BUCKETS = 8;

    private final Arena arena = Arena.ofShared();
    private final CacheTable table = new CacheTable(arena.allocate((long) BUCKETS * CacheTable.BUCKET_BYTES, 64));

    @AfterEach
    void close() {
        arena.close();
    }

    private static byte[] filled(int length, int with) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) with);
        return bytes;
    }

    private static byte[] slot(long version, String key, byte[] value) {
        return Arrays.copyOf(CacheEntry.encode(version, CacheTable.bytes(key), value), CacheEntry.SLOT_BYTES);
    }

    @Test
    void shouldFindWhatWasPut() {
        table.put("a", filled(10, 1));
        table.put("b", filled(0, 0));
        table.put("a", filled(400, 2));
        assertThat(table.get("a")).hasValue(filled(400, 2));
        assertThat(table.get("b")).hasValue(new byte[0]);
        assertThat(table.get("c")).isEmpty();
    }

    @Test
    void whenABucketIsFullThenItsOldestEntryGoes() {
        for (int i = 0; i < 1000; i++) {
            table.put("key " + i, filled(4, i));
        }
        assertThat(table.get("key 999")).hasValue(filled(4, 999));
        assertThat(table.get("key 0")).isEmpty();
        long left = java.util.stream.IntStream.range(0, 1000)
                .mapToObj(i -> table.get("key " + i))
                .filter(Optional::isPresent)
                .count();
        assertThat(left).isEqualTo(BUCKETS * CacheTable.WAYS);
    }

    @Test
    void whenAnEntryIsTooLongThenItIsRejected() {
        table.put("k", filled(CacheEntry.MOST_BYTES - 1, 1));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> table.put("k", filled(CacheEntry.MOST_BYTES, 1)))
                .withMessageContaining("at most 492 bytes");
    }

    @Test
    void theLayoutIsThatOfTheDrawing() {
        assertThat(HexFormat.of().formatHex(CacheEntry.encode(3, CacheTable.bytes("k"), new byte[] {9, 8})))
                .startsWith("0300000000000000")
                .hasSize(2 * 23)
                .endsWith("01000200" + "6b" + "0908");
    }

    @Test
    @DisplayName("a READ that saw the new beginning and the old rest of an entry, or the reverse, finds no value")
    void whenAnEntryIsHalfRewrittenThenItIsTorn() {
        byte[] key = CacheTable.bytes("key");
        byte[] old = slot(1, "key", filled(200, 1));
        byte[] fresh = slot(2, "key", filled(200, 2));
        for (int cut = 1; cut < CacheEntry.SLOT_BYTES; cut++) {
            byte[] torn = fresh.clone();
            System.arraycopy(old, cut, torn, cut, CacheEntry.SLOT_BYTES - cut);
            byte[] tornOtherwise = old.clone();
            System.arraycopy(fresh, cut, tornOtherwise, cut, CacheEntry.SLOT_BYTES - cut);
            for (byte[] seen : new byte[][] {torn, tornOtherwise}) {
                CacheEntry.Seen found = CacheEntry.read(seen, 0, key);
                boolean whole = Arrays.equals(seen, old) || Arrays.equals(seen, fresh);
                assertThat(found.state()).as("cut at %s", cut).isEqualTo(whole ? State.HIT : State.TORN);
            }
        }
    }

    @Test
    @DisplayName("arbitrary bytes are neither a value nor an exception")
    void whenASlotIsGarbageThenItIsTorn() {
        Random random = new Random(1);
        byte[] garbage = new byte[CacheEntry.SLOT_BYTES];
        for (int i = 0; i < 10_000; i++) {
            random.nextBytes(garbage);
            assertThat(CacheEntry.read(garbage, 0, CacheTable.bytes("key")).state())
                    .isEqualTo(State.TORN);
        }
    }

    @Test
    @DisplayName("a copy taken while an entry is rewritten has the old value or the new one, or is detected as torn")
    void whenAnEntryIsRewrittenThenCopiesAreWholeOrTorn() throws InterruptedException {
        MemorySegment memory = arena.allocate(CacheTable.BUCKET_BYTES, 64);
        CacheTable one = new CacheTable(memory);
        one.put("key", filled(300, 0));
        Thread writer = Thread.ofPlatform().start(() -> {
            for (int i = 0; i < 20_000; i++) {
                one.put("key", filled(100 + i % 300, i));
            }
        });
        byte[] key = CacheTable.bytes("key");
        int looks = 0;
        while (writer.isAlive() || looks == 0) {
            CacheEntry.Seen seen = CacheTable.find(memory.toArray(java.lang.foreign.ValueLayout.JAVA_BYTE), key);
            if (seen.state() == State.HIT) {
                assertThat(seen.value()).containsOnly(seen.value()[0]);
            } else {
                assertThat(seen.state()).isEqualTo(State.TORN);
            }
            looks++;
        }
        writer.join();
        assertThat(one.get("key")).hasValue(filled(100 + 19_999 % 300, 19_999));
    }
}
