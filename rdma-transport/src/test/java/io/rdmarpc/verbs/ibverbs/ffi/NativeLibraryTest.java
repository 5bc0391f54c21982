package io.rdmarpc.verbs.ibverbs.ffi;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.ibverbs.ffi.cm.LibRdmacm;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The exception for an unusable library")
class NativeLibraryTest {

    @Test
    void whenTheLibraryIsMissingThenThePackageIsNamed() {
        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() -> LibIbverbs.load("libibverbs-not-there.so.1"))
                .withMessageContaining("libibverbs-not-there.so.1 is not installed")
                .withMessageContaining("apt install libibverbs1 ibverbs-providers")
                .withMessageContaining("rdma.provider=soft");
    }

    @Test
    void whenTheConnectionManagerIsMissingThenThePackageIsNamed() {
        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() -> LibRdmacm.load("librdmacm-not-there.so.1"))
                .withMessageContaining("librdmacm-not-there.so.1 is not installed")
                .withMessageContaining("apt install librdmacm1");
    }

    @Test
    void whenASymbolIsMissingThenTheReleaseIsNamed() {
        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() -> LibIbverbs.load("libm.so.6"))
                .withMessageContaining("it has no ibv_get_device_list")
                .withMessageContaining("rdma-core 17 or newer");
    }

    @Test
    void whenTheConnectionManagerIsTooOldThenTheReleaseIsNamed() {
        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() -> LibRdmacm.load("libm.so.6"))
                .withMessageContaining("it has no rdma_create_event_channel")
                .withMessageContaining("rdma-core 23 or newer");
    }
}
