package io.rdmarpc.verbs.soft.ffi;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdmarpc.verbs.ffi.NativeAccess;

/** Streaming stores for tests of them and of what uses them. */
public final class LoadedStores {

    private LoadedStores() {}

    /** Waits until another thread has loaded them; skips the test on other processors. */
    public static void await() throws InterruptedException {
        assumeTrue(NativeAccess.isGranted(), "they are native code");
        assumeTrue(System.getProperty("os.arch").equals("amd64"), "they are instructions of x86-64");
        while (!StreamingStores.areReady()) {
            Thread.sleep(1);
        }
    }
}
