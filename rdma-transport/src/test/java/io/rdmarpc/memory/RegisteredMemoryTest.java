package io.rdmarpc.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.error.RdmaException;
import java.lang.foreign.ValueLayout;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RegisteredMemoryTest {

    private final FakeProtectionDomain domain = new FakeProtectionDomain();

    @Test
    void shouldStartAtAPage() {
        RegisteredMemory memory = register(new MemoryBudget(10_000), 5_000);

        assertThat(memory.segment().address() % 4096).isZero();
        assertThat(memory.byteSize()).isEqualTo(5_000);
        memory.release();
    }

    @Test
    void shouldDeregisterBeforeItFrees() {
        MemoryBudget budget = new MemoryBudget(10_000);
        RegisteredMemory memory = register(budget, 5_000);

        memory.deregister();
        assertThat(domain.openRegions()).isEmpty();
        assertThat(budget.registeredBytes()).isEqualTo(5_000);
        memory.segment().set(ValueLayout.JAVA_BYTE, 0, (byte) 1);

        memory.release();
        memory.release();
        assertThat(budget.registeredBytes()).isZero();
        assertThatIllegalStateException().isThrownBy(() -> memory.segment().get(ValueLayout.JAVA_BYTE, 0));
    }

    @Test
    void whenTheSystemHasNoMemoryThenTheExceptionHasTheOption() {
        MemoryBudget budget = new MemoryBudget(Long.MAX_VALUE);

        assertThatExceptionOfType(RdmaException.class)
                .isThrownBy(() -> register(budget, 1L << 50))
                .withMessageStartingWith("Cannot allocate 1024 TiB outside the Java heap.")
                .withMessageContaining("-XX:MaxDirectMemorySize")
                .withCauseInstanceOf(OutOfMemoryError.class);

        assertThat(budget.registeredBytes()).isZero();
    }

    private RegisteredMemory register(MemoryBudget budget, long bytes) {
        return RegisteredMemory.register(domain, budget, PageSource.ORDINARY, bytes, Set.of(AccessFlag.LOCAL_WRITE));
    }
}
