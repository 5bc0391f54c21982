package io.rdmarpc.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MemoryBudgetTest {

    private final MemoryBudget budget = new MemoryBudget(1_000);
    private final MemoryBudget child = budget.child(600, "some.child.max");

    @Test
    void shouldCountUpToTheLimit() {
        budget.reserve(400);
        budget.reserve(600);

        assertThat(budget.registeredBytes()).isEqualTo(1_000);
        assertThatExceptionOfType(RdmaMemoryExhaustedException.class).isThrownBy(() -> budget.reserve(1));
        budget.release(1);
        budget.reserve(1);
    }

    @Test
    void shouldCountAChildInItsParent() {
        child.reserve(500);

        assertThat(budget.registeredBytes()).isEqualTo(500);
        assertThatExceptionOfType(RdmaMemoryExhaustedException.class)
                .isThrownBy(() -> child.reserve(101))
                .withMessage("Registering 101 bytes more is over the limit: 500 bytes of 600 bytes are registered."
                        + " Close message buffers sooner or raise some.child.max.");
        child.release(500);
        assertThat(budget.registeredBytes()).isZero();
        assertThat(child.registeredBytes()).isZero();
    }

    @Test
    void shouldLimitAFairChildToHalfOfTheFreeBytes() {
        MemoryBudget first = budget.fairChild("first.max");
        MemoryBudget second = budget.fairChild("second.max");
        first.reserve(500);

        assertThatExceptionOfType(RdmaMemoryExhaustedException.class)
                .isThrownBy(() -> first.reserve(1))
                .withMessageContaining("first.max");
        assertThat(second.limitBytes()).isEqualTo(250);
        second.reserve(250);
        assertThatExceptionOfType(RdmaMemoryExhaustedException.class).isThrownBy(() -> second.reserve(1));
        assertThat(budget.registeredBytes()).isEqualTo(750);

        first.release(400);
        assertThat(second.limitBytes()).isEqualTo(450);
        second.reserve(200);
        assertThat(budget.registeredBytes()).isEqualTo(550);
    }

    @Test
    void whenTheParentRejectsThenTheChildCountsNothing() {
        budget.reserve(900);

        assertThatExceptionOfType(RdmaMemoryExhaustedException.class)
                .isThrownBy(() -> child.reserve(200))
                .satisfies(full -> assertThat(full.property()).isEqualTo("rdma.memory.max-size"));

        assertThat(child.registeredBytes()).isZero();
        assertThat(budget.registeredBytes()).isEqualTo(900);
    }

    @Test
    void shouldNotOverflow() {
        MemoryBudget huge = new MemoryBudget(Long.MAX_VALUE);
        huge.reserve(Long.MAX_VALUE - 1);

        assertThatExceptionOfType(RdmaMemoryExhaustedException.class).isThrownBy(() -> huge.reserve(2));
        assertThatIllegalArgumentException().isThrownBy(() -> new MemoryBudget(-1));
    }

    @Test
    @Timeout(20)
    void whenManyThreadsReserveThenTheLimitHolds() throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            threads.add(Thread.ofPlatform().start(() -> {
                for (int i = 0; i < 20_000; i++) {
                    reserveAndRelease();
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }

        assertThat(budget.registeredBytes()).isZero();
        assertThat(child.registeredBytes()).isZero();
    }

    private void reserveAndRelease() {
        try {
            child.reserve(250);
        } catch (RdmaMemoryExhaustedException full) {
            return;
        }
        assertThat(child.registeredBytes()).isBetween(250L, 600L);
        child.release(250);
    }

    @ParameterizedTest
    @CsvSource({
        "0,0 bytes",
        "1,1 bytes",
        "1000,1000 bytes",
        "1024,1 KiB",
        "1536,1536 bytes",
        "16777216,16 MiB",
        "1073741824,1 GiB",
        "1152921504606846976,1048576 TiB"
    })
    void shouldWriteByteCountsExactly(long bytes, String text) {
        assertThat(ByteCount.of(bytes)).isEqualTo(text);
    }

    @Test
    void shouldAddStatistics() {
        MemoryStatistics sum =
                MemoryStatistics.NONE.plus(new MemoryStatistics(1, 2, 3, 4)).plus(new MemoryStatistics(10, 20, 30, 40));

        assertThat(sum).isEqualTo(new MemoryStatistics(11, 22, 33, 44));
    }
}
