package io.rdmarpc.verbs.ffi;

/** Whether C may be called here. What has another way without it asks first. */
public final class NativeAccess {

    private NativeAccess() {}

    /**
     * Tells whether this is 64-bit Linux and Java was started with {@code --enable-native-access} for this library. Without
     * the flag Java would still allow calls, with a warning; who did not ask for native code is not made to see that.
     */
    public static boolean isGranted() {
        return System.getProperty("os.name", "").equals("Linux")
                && CStruct.fitsThisMachine()
                && NativeAccess.class.getModule().isNativeAccessEnabled();
    }
}
