package io.rdmarpc.verbs.ffi;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * A C function of the control path, such as a verb. Such a call is a system call of at least some microseconds, so that
 * boxed arguments and one shared call site are affordable. Pointers are passed as longs: the C calling conventions of
 * 64-bit Linux treat both alike.
 */
public final class ControlCall {

    private final String name;
    private final MemorySegment function;
    private final List<MemoryLayout> arguments;
    private final long resultBytes;

    /**
     * Describes a function.
     *
     * @param name the name, for exceptions
     * @param function the address
     * @param signature the integers and pointers of its parameters and result
     */
    public ControlCall(String name, MemorySegment function, FunctionDescriptor signature) {
        this.name = name;
        this.function = function;
        this.arguments = signature.argumentLayouts();
        this.resultBytes = signature.returnLayout().map(MemoryLayout::byteSize).orElse(0L);
        if (arguments.size() > WordCalls.WORDS) {
            throw new IllegalArgumentException(
                    name + " has " + arguments.size() + " arguments; the maximum is " + WordCalls.WORDS);
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
            long register = (long)
                    LibC.CALL.invokeExact(function, state, words[0], words[1], words[2], words[3], words[4], words[5]);
            return new Reply(name, result(register), LibC.errno(state));
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

    private long result(long register) {
        if (resultBytes == 0) {
            return 0;
        }
        return resultBytes == Integer.BYTES ? (int) register : register;
    }
}
