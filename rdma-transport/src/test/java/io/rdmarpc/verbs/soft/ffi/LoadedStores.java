package io.rdmarpc.verbs.soft.ffi;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdmarpc.verbs.ffi.NativeAccess;

/** Loads the streaming stores for tests. */
public final class LoadedStores {

    private LoadedStores() {}

    /** Waits until another thread has loaded them; skips the test on other CPUs. */
    public static void await() throws InterruptedException {
        assumeTrue(NativeAccess.isGranted(), "they are native code");
        assumeTrue(System.getProperty("os.arch").equals("amd64"), "they are instructions of x86-64");
        while (!StreamingStores.areReady()) {
            Thread.sleep(1);
        }
    }
}
