package io.rdmarpc.verbs.ffi;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * One handle for functions of C that take integers and pointers, as if each were {@code long f(long, long, long, long, long, long)}:
 * the JVM makes some dozens of classes for each other signature while an application starts.
 *
 * <p>In the calling conventions of 64-bit Linux an integer or pointer of any width has a whole register, or a whole word of the
 * stack, extended to 64 bits by whoever calls. Words that a function does not have are where it does not look. The answer is in
 * one register, of which the function fills as much as its type has. A function with {@code ...} wants to be told that no vector
 * register holds an argument, which others do not mind.
 */
final class WordCalls {

    /** How many words each function is passed. */
    static final int WORDS = 6;

    private static final Linker.Option NO_VECTORS = Linker.Option.firstVariadicArg(2);
    private static final Linker.Option ERRNO_TOO = Linker.Option.captureCallState("errno");

    private WordCalls() {}

    private static FunctionDescriptor signature() {
        ValueLayout.OfLong word = ValueLayout.JAVA_LONG;
        return FunctionDescriptor.of(word, word, word, word, word, word, word);
    }

    /** Returns {@code (function, callState, a, b, c, d, e, f)}. */
    @SuppressWarnings("restricted") // Whoever calls it names the declaration, and passes integers and pointers only.
    static MethodHandle ofAny() {
        return Linker.nativeLinker().downcallHandle(signature(), NO_VECTORS, ERRNO_TOO);
    }
}
