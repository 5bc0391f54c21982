package io.rdmarpc.verbs.ffi;

/**
 * Determines whether this process may call C functions. Classes with a second implementation in Java check this first.
 */
public final class NativeAccess {

    private NativeAccess() {}

    /**
     * Returns whether this is 64-bit Linux and Java was started with {@code --enable-native-access} for this library.
     * Without the flag, Java would permit calls but print a warning. Users should see it only if they requested native
     * code.
     */
    public static boolean isGranted() {
        return System.getProperty("os.name", "").equals("Linux")
                && CStruct.fitsThisMachine()
                && NativeAccess.class.getModule().isNativeAccessEnabled();
    }
}
