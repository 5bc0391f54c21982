package io.rdmarpc.verbs.ffi;

/** Whether this process may call C. Classes that have an implementation without C check this first. */
public final class NativeAccess {

    private NativeAccess() {}

    /**
     * Returns whether this is 64-bit Linux and Java was started with {@code --enable-native-access} for this library.
     * Without the flag, Java would permit calls but print a warning, which users who did not request native code should
     * not see.
     */
    public static boolean isGranted() {
        return System.getProperty("os.name", "").equals("Linux")
                && CStruct.fitsThisMachine()
                && NativeAccess.class.getModule().isNativeAccessEnabled();
    }
}
