package io.rdmarpc.verbs.soft.shm.layout;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.TestSeed;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class KeyIndexTest {

    private static final int STEPS = 200_000;

    private final KeyIndex index = new KeyIndex();
    private final SplittableRandom random = new SplittableRandom(TestSeed.next());

    @Test
    void shouldBehaveLikeAMap() {
        Map<Integer, Integer> expected = new HashMap<>();
        List<Integer> keys = new ArrayList<>();
        for (int step = 0; step < STEPS; step++) {
            if (expected.size() < KeyTable.ENTRIES && random.nextBoolean()) {
                // Some keys share their upper bits, and so follow each other in the table.
                int key = random.nextInt(4) == 0 ? 0x7000_0000 | random.nextInt(1, 4096) : random.nextInt() | 1;
                expected.put(key, step);
                index.put(key, step);
                keys.add(key);
            } else if (!keys.isEmpty()) {
                int key = keys.get(random.nextInt(keys.size()));
                Integer known = expected.remove(key);
                assertThat(index.remove(key)).isEqualTo(known == null ? -1 : known);
                assertThat(index.find(key)).isEqualTo(-1);
            }
        }
        expected.forEach((key, entry) -> assertThat(index.find(key)).isEqualTo(entry));
    }
}
