package io.rdmarpc.verbs.ffi;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * A call of the control path, a verb or another function of C: a system call that takes microseconds at least, so
 * arguments may be boxed and one place can call them all. Pointers are passed as longs, which the C calling conventions
 * of 64-bit Linux treat alike.
 */
public final class ControlCall {

    private final String name;
    private final MemorySegment function;
    private final List<MemoryLayout> arguments;
    private final long answerBytes;

    /**
     * Describes a function.
     *
     * @param name for failures
     * @param function where it is
     * @param signature its integers and pointers
     */
    public ControlCall(String name, MemorySegment function, FunctionDescriptor signature) {
        this.name = name;
        this.function = function;
        this.arguments = signature.argumentLayouts();
        this.answerBytes = signature.returnLayout().map(MemoryLayout::byteSize).orElse(0L);
        if (arguments.size() > WordCalls.WORDS) {
            throw new IllegalArgumentException(
                    name + " has " + arguments.size() + " arguments, of at most " + WordCalls.WORDS);
        }
    }

    public Reply call(Object... values) {
        if (values.length != arguments.size()) {
            throw new AssertionError(name + " takes " + arguments.size() + " arguments, not " + values.length);
        }
        long[] words = new long[WordCalls.WORDS];
        for (int i = 0; i < values.length; i++) {
            words[i] = word(values[i], i);
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(LibC.CALL_STATE);
            long answer = (long)
                    LibC.CALL.invokeExact(function, state, words[0], words[1], words[2], words[3], words[4], words[5]);
            return new Reply(name, answer(answer), LibC.errno(state));
        } catch (Throwable e) {
            throw LibC.impossible(e);
        }
    }

    private long word(Object value, int index) {
        long bytes = arguments.get(index).byteSize();
        return switch (value) {
            case Long whole when bytes == Long.BYTES -> whole;
            case Integer half when bytes == Integer.BYTES -> half;
            case Byte small when bytes == Byte.BYTES -> Byte.toUnsignedLong(small);
            default ->
                throw new AssertionError(name + " takes " + bytes + " bytes as argument " + index + ", not " + value);
        };
    }

    private long answer(long register) {
        if (answerBytes == 0) {
            return 0;
        }
        return answerBytes == Integer.BYTES ? (int) register : register;
    }
}
