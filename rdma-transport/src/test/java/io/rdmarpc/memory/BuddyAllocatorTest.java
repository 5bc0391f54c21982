package io.rdmarpc.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.rdmarpc.TestSeed;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BuddyAllocatorTest {

    private static final int UNIT = 4096;

    private final BuddyAllocator allocator = new BuddyAllocator(8 * UNIT, UNIT);

    @ParameterizedTest
    @CsvSource({"0,1", "1,1", "4096,1", "4097,2", "8192,2", "8193,4", "20000,8", "32768,8"})
    void shouldRoundUpToAPowerOfTwo(int bytes, int units) {
        int offset = allocator.allocate(bytes);

        assertThat(allocator.blockBytes(offset)).isEqualTo(units * UNIT);
        assertThat(allocator.usedBytes()).isEqualTo(units * UNIT);
    }

    @Test
    void shouldSplitTheSmallestBlockThatFits() {
        assertThat(allocator.allocate(UNIT)).isZero();
        assertThat(allocator.allocate(4 * UNIT)).isEqualTo(4 * UNIT);
        assertThat(allocator.allocate(UNIT)).isEqualTo(UNIT);
        assertThat(allocator.allocate(2 * UNIT)).isEqualTo(2 * UNIT);
        assertThat(allocator.allocate(1)).isEqualTo(BuddyAllocator.NONE);
    }

    @Test
    void whenBuddiesAreFreeThenTheyMergeInAnyOrder() {
        int[] offsets = new int[8];
        for (int i = 0; i < offsets.length; i++) {
            offsets[i] = allocator.allocate(UNIT);
        }
        for (int i : new int[] {3, 0, 6, 5, 1, 7, 2}) {
            allocator.free(offsets[i]);
            assertThat(allocator.fits(8 * UNIT)).isFalse();
        }

        allocator.free(offsets[4]);

        assertThat(allocator.isUnused()).isTrue();
        assertThat(allocator.fits(8 * UNIT)).isTrue();
    }

    @Test
    void whenNeighboursAreNotBuddiesThenTheyDoNotMerge() {
        int first = allocator.allocate(2 * UNIT);
        int second = allocator.allocate(2 * UNIT);
        int third = allocator.allocate(2 * UNIT);
        int fourth = allocator.allocate(2 * UNIT);
        allocator.free(second);
        allocator.free(third);

        assertThat(allocator.fits(4 * UNIT)).isFalse();

        allocator.free(first);
        assertThat(allocator.fits(4 * UNIT)).isTrue();
        allocator.free(fourth);
        assertThat(allocator.fits(8 * UNIT)).isTrue();
    }

    @Test
    void shouldRejectFreeingWhatIsNotAllocated() {
        int offset = allocator.allocate(2 * UNIT);

        for (int wrong : new int[] {offset + UNIT, offset + 1, 4 * UNIT, -UNIT, 8 * UNIT}) {
            assertThatIllegalStateException().isThrownBy(() -> allocator.free(wrong));
        }
        allocator.free(offset);
        assertThatIllegalStateException()
                .isThrownBy(() -> allocator.free(offset))
                .withMessage("no block is allocated at offset 0");
    }

    @Test
    void shouldManageASpaceOfOneBlock() {
        BuddyAllocator single = new BuddyAllocator(UNIT, UNIT);

        assertThat(single.allocate(UNIT)).isZero();
        assertThat(single.allocate(1)).isEqualTo(BuddyAllocator.NONE);
        single.free(0);
        assertThat(single.fits(UNIT)).isTrue();
        assertThat(single.fits(UNIT + 1)).isFalse();
    }

    @Test
    void shouldManageAGibibyte() {
        BuddyAllocator large = new BuddyAllocator(1 << 30, UNIT);

        assertThat(large.allocate(1 << 30)).isZero();
        assertThat(large.usedBytes()).isEqualTo(1 << 30);
        assertThat(large.allocate(1)).isEqualTo(BuddyAllocator.NONE);
        assertThat(large.allocate(Integer.MAX_VALUE)).isEqualTo(BuddyAllocator.NONE);
    }

    @Test
    void shouldRejectSizesThatAreNotPowersOfTwo() {
        assertThatIllegalArgumentException().isThrownBy(() -> new BuddyAllocator(3 * UNIT, UNIT));
        assertThatIllegalArgumentException().isThrownBy(() -> new BuddyAllocator(UNIT, 3));
        assertThatIllegalArgumentException().isThrownBy(() -> new BuddyAllocator(UNIT, 2 * UNIT));
        assertThatIllegalArgumentException().isThrownBy(() -> new BuddyAllocator(0, UNIT));
    }

    @RepeatedTest(5)
    void shouldAgreeWithTheModelUnderRandomUse() {
        long seed = TestSeed.next();
        Random random = new Random(seed);
        int units = 256;
        BuddyAllocator buddy = new BuddyAllocator(units * UNIT, UNIT);
        Model model = new Model(units);

        for (int i = 0; i < 10_000; i++) {
            if (model.blocks.isEmpty() || random.nextInt(100) < 55) {
                int bytes = 1 + random.nextInt(UNIT << random.nextInt(7));
                model.allocated(buddy.allocate(bytes), bytes, seed);
            } else {
                buddy.free(model.removeBlock(random.nextInt(model.blocks.size())));
            }
            assertThat(buddy.usedBytes()).as("seed %d", seed).isEqualTo(model.used.cardinality() * UNIT);
        }
        while (!model.blocks.isEmpty()) {
            buddy.free(model.removeBlock(random.nextInt(model.blocks.size())));
        }

        assertThat(buddy.isUnused()).as("seed %d", seed).isTrue();
        assertThat(buddy.allocate(units * UNIT)).as("seed %d", seed).isZero();
    }

    /** A simple and slow reference implementation of a buddy allocator. */
    private static final class Model {

        final int units;
        final BitSet used = new BitSet();
        final List<int[]> blocks = new ArrayList<>();

        Model(int units) {
            this.units = units;
        }

        void allocated(int offset, int bytes, long seed) {
            int length = 1;
            while (length * UNIT < bytes) {
                length *= 2;
            }
            if (offset == BuddyAllocator.NONE) {
                assertThat(hasRoom(length))
                        .as("seed %d: room for %d", seed, length)
                        .isFalse();
                return;
            }
            int unit = offset / UNIT;
            assertThat(offset % (length * UNIT)).as("seed %d: alignment", seed).isZero();
            assertThat(used.get(unit, unit + length).isEmpty())
                    .as("seed %d: overlap", seed)
                    .isTrue();
            used.set(unit, unit + length);
            blocks.add(new int[] {unit, length});
        }

        int removeBlock(int index) {
            int[] block = blocks.remove(index);
            used.clear(block[0], block[0] + block[1]);
            return block[0] * UNIT;
        }

        private boolean hasRoom(int length) {
            for (int unit = 0; unit < units; unit += length) {
                if (used.get(unit, unit + length).isEmpty()) {
                    return true;
                }
            }
            return false;
        }
    }
}
