package io.rdmarpc.verbs.ibverbs.ffi.struct;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.ffi.CStruct;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A completion queue in C")
class CqStructTest {

    private static final int ASKED = 64;

    private final Arena arena = Arena.ofAuto();
    private final ContextStruct context = new ContextStruct(arena.allocate(ContextStruct.LAYOUT), 0);

    private MemorySegment queue(long contextPointer, int cqe) {
        MemorySegment memory = arena.allocate(CqStruct.LAYOUT);
        memory.set(CStruct.POINTER, CStruct.offset(CqStruct.LAYOUT, "context"), contextPointer);
        memory.set(CStruct.U32, CStruct.offset(CqStruct.LAYOUT, "cqe"), cqe);
        return memory;
    }

    @ParameterizedTest(name = "of {0} entries where 64 were requested")
    @ValueSource(ints = {63, 64, 127})
    void shouldAcceptPlausibleSizes(int cqe) {
        MemorySegment memory = queue(context.pointer(), cqe);

        assertThat(CqStruct.at(memory.address(), context, ASKED).cqe()).isEqualTo(cqe);
    }

    @ParameterizedTest(name = "of {0} entries is implausible")
    @ValueSource(ints = {0, 62, -1})
    void shouldRejectImplausibleSizes(int cqe) {
        MemorySegment memory = queue(context.pointer(), cqe);

        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() -> CqStruct.at(memory.address(), context, ASKED))
                .withMessageContaining("ibv_cq.cqe reads " + cqe);
    }

    @Test
    void shouldRejectAQueueOfAnotherDevice() {
        MemorySegment memory = queue(8, ASKED);

        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() -> CqStruct.at(memory.address(), context, ASKED))
                .withMessageContaining("ibv_cq.context reads 0x8");
    }
}
