package io.rdmarpc.verbs.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.verbs.ProtectionDomain;
import io.rdmarpc.verbs.RdmaContext;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.ibverbs.ffi.LibIbverbs;
import io.rdmarpc.verbs.ibverbs.ffi.LibraryAround;
import io.rdmarpc.verbs.mr.MemoryRegion;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/** Tests results that available devices never return, with a layer between libibverbs and this library. */
@Tag("rdma-device")
@EnabledIf("io.rdmarpc.verbs.ibverbs.IbverbsDeviceTest#deviceIsThere")
@Timeout(120)
@DisplayName("Registration with a device that")
class ChangedLibraryDeviceTest {

    private static final int PAGE = 4096;

    /** Behaves like a driver that supports the verb: new memory, a new key. */
    private static final String CHANGES = """
            int ibv_rereg_mr(struct ibv_mr *mr, int flags, struct ibv_pd *pd, void *addr, size_t length, int access) {
                if (!(flags & IBV_REREG_MR_CHANGE_ACCESS) && access) { errno = EINVAL; return -1; }
                if (flags & IBV_REREG_MR_CHANGE_TRANSLATION) { mr->addr = addr; mr->length = length; }
                mr->rkey += 1;
                return 0;
            }
            """;

    private static final String FAILS_HALF_WAY = """
            int ibv_rereg_mr(struct ibv_mr *mr, int flags, struct ibv_pd *pd, void *addr, size_t length, int access) {
                errno = ENOMEM;
                return IBV_REREG_MR_ERR_CMD;
            }
            """;

    /** Replaces the memory of a GPU by a page of this process. */
    private static final String HAS_DMA_BUF = """
            #undef ibv_reg_mr
            struct ibv_mr *ibv_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length, uint64_t iova, int fd,
                                             int access) {
                if (fd == 77) { errno = EBADF; return NULL; }
                struct ibv_mr *mr = ibv_reg_mr(pd, aligned_alloc(4096, length), length, access);
                if (mr) mr->addr = (void *) (uintptr_t) offset;
                return mr;
            }
            """;

    private final Arena arena = Arena.ofShared();

    @TempDir
    private Path directory;

    private RdmaContext context;

    private ProtectionDomain domain(String functions) throws IOException, InterruptedException {
        LibIbverbs library = LibraryAround.functions(directory, functions);
        context = IbverbsProvider.devices(library).getFirst().open();
        return context.allocateProtectionDomain();
    }

    @AfterEach
    void close() {
        if (context != null) {
            context.close();
        }
        arena.close();
    }

    private MemorySegment memory(int pages) {
        return arena.allocate((long) pages * PAGE, PAGE);
    }

    @Test
    @DisplayName("changes a registration: the region has new memory, rights and key")
    void shouldChangeARegistration() throws IOException, InterruptedException {
        MemoryRegion region = domain(CHANGES).registerMemory(memory(1), Set.of(AccessFlag.REMOTE_READ));
        int rkey = region.rkey();
        MemorySegment other = memory(2);

        region.reregister(other, Set.of(AccessFlag.REMOTE_READ));
        assertThat(region.segment()).isEqualTo(other);
        assertThat(region.byteSize()).isEqualTo(2 * PAGE);
        assertThat(region.rkey()).isEqualTo(rkey + 1);

        region.reregister(other, Set.of());
        assertThat(region.access()).isEmpty();
        assertThat(region.rkey()).isEqualTo(rkey + 2);

        region.reregister(other, Set.of());
        assertThat(region.rkey()).as("nothing to change").isEqualTo(rkey + 2);
    }

    @Test
    @DisplayName("fails halfway: the region can only be closed")
    void whenAChangeFailsHalfwayThenTheRegionCanOnlyBeClosed() throws IOException, InterruptedException {
        MemoryRegion region = domain(FAILS_HALF_WAY).registerMemory(memory(1));

        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() -> region.reregister(memory(2), Set.of()))
                .withMessageContaining("failed halfway (code -4)")
                .withMessageContaining("do not use the region")
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.ENOMEM));
        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() -> region.reregister(memory(2), Set.of()))
                .withMessageContaining("An earlier change failed halfway");
        region.close();
    }

    @Test
    @DisplayName("accesses another device's memory: the region has the requested address")
    void shouldRegisterMemoryOfAnotherDevice() throws IOException, InterruptedException {
        ProtectionDomain domain = domain(HAS_DMA_BUF);

        try (MemoryRegion region = domain.registerDmaBuf(5, 2 * PAGE, PAGE, 0x1000, Set.of(AccessFlag.REMOTE_READ))) {
            assertThat(region.segment().byteSize()).isZero();
            assertThat(region.addressOf(8, PAGE - 8)).isEqualTo(0x1008);
            assertThat(region.byteSize()).isEqualTo(PAGE);
            assertThat(region.rkey()).isNotZero();
            assertThatExceptionOfType(RdmaVerbsException.class)
                    .isThrownBy(() -> region.reregister(memory(1), Set.of()))
                    .withMessageContaining("cannot be changed");
        }
        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() -> domain.registerDmaBuf(77, 0, PAGE, 0, Set.of()))
                .withMessageContaining("dma-buf 77")
                .withMessageContaining("The file descriptor is not open");
    }
}
