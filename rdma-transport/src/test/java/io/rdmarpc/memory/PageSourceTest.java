package io.rdmarpc.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.RdmaContext;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Memory to be registered is allocated")
class PageSourceTest {

    private static final int PAGE = 4096;

    /** A device that only allocates, with the given source of huge pages. */
    private static RdmaContext device(PageSource hugePages) {
        return (RdmaContext) Proxy.newProxyInstance(
                RdmaContext.class.getClassLoader(), new Class<?>[] {RdmaContext.class}, (self, method, arguments) -> {
                    if (method.getName().equals("allocateMemory")) {
                        return InvocationHandler.invokeDefault(self, method, arguments);
                    }
                    assertThat(method.getName()).isEqualTo("allocateHugePages");
                    return hugePages.allocate((Arena) arguments[0], (long) arguments[1]);
                });
    }

    @Test
    void fromHugePagesWhenThereAreSome() {
        List<Long> asked = new ArrayList<>();
        PageSource source = PageSource.hugePages(device((arena, bytes) -> {
            asked.add(bytes);
            return arena.allocate(bytes, PAGE);
        }));
        MemoryBudget budget = new MemoryBudget(1 << 20);
        FakeProtectionDomain domain = new FakeProtectionDomain();

        BuddyArenaConfig sizes = BuddyArenaConfig.DEFAULT;
        try (BuddyArena arena = new BuddyArena(
                domain,
                budget,
                new BuddyArenaConfig(sizes.minBlockBytes(), 1 << 16, sizes.maxBlockBytes()).withMaxBlockBytes(1 << 16),
                source)) {
            arena.grow(PAGE);
            assertThat(asked).containsExactly(1L << 16);
        }
    }

    @Test
    void fromOrdinaryPagesWhenThereAreNone() {
        AtomicInteger asked = new AtomicInteger();
        PageSource source = PageSource.hugePages(device((arena, bytes) -> {
            asked.incrementAndGet();
            throw RdmaVerbsException.notSupported("mmap(MAP_HUGETLB)", "fake0", "There are none");
        }));
        MemoryBudget budget = new MemoryBudget(1 << 20);

        for (int i = 1; i <= 2; i++) {
            RegisteredMemory memory = RegisteredMemory.register(
                    new FakeProtectionDomain(), budget, source, PAGE, Set.of(AccessFlag.LOCAL_WRITE));
            MemorySegment segment = memory.segment();
            assertThat(segment.byteSize()).isEqualTo(PAGE);
            assertThat(segment.address() % PAGE).isZero();
            assertThat(asked).hasValue(i);
            memory.release();
        }
        assertThat(budget.registeredBytes()).isZero();
    }
}
