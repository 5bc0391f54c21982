package io.rdmarpc.verbs.ffi;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * One method handle for all C functions that take integers and pointers. It calls each of them as
 * {@code long f(long, long, long, long, long, long)}. The JVM would generate dozens of classes for each additional
 * signature while an application starts.
 *
 * <p>In the calling conventions of 64-bit Linux, an integer or pointer of any width occupies a whole register, or a
 * whole word of the stack. The caller extends it to 64 bits. A function ignores registers beyond its parameters. The
 * result is in one register, of which the function sets the bits of its result type. The caller also reports that no
 * vector register contains an argument. Variadic functions require this; other functions ignore it.
 */
final class WordCalls {

    /** Number of words that each function receives. */
    static final int WORDS = 6;

    private static final Linker.Option NO_VECTORS = Linker.Option.firstVariadicArg(2);
    private static final Linker.Option ERRNO_TOO = Linker.Option.captureCallState("errno");

    private WordCalls() {}

    private static FunctionDescriptor signature() {
        ValueLayout.OfLong word = ValueLayout.JAVA_LONG;
        return FunctionDescriptor.of(word, word, word, word, word, word, word);
    }

    /** Returns a handle of type {@code (function, callState, a, b, c, d, e, f)}. */
    @SuppressWarnings("restricted") // Each caller has the C declaration, and passes only integers and pointers.
    static MethodHandle ofAny() {
        return Linker.nativeLinker().downcallHandle(signature(), NO_VECTORS, ERRNO_TOO);
    }
}
