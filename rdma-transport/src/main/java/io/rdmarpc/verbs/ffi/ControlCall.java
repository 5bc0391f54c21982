package io.rdmarpc.verbs.ffi;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * A call of the control path, a verb or another function of C: a system call that takes microseconds at least, so
 * arguments may be boxed and one place can call them all. Pointers are passed as longs, which the C calling conventions
 * of 64-bit Linux treat alike.
 */
public final class ControlCall {

    private static final StructLayout CALL_STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = CALL_STATE.varHandle(PathElement.groupElement("errno"));
    private static final MethodType CALL = MethodType.methodType(long.class, MemorySegment.class, Object[].class);

    private final String name;
    private final MethodHandle handle;

    @SuppressWarnings("restricted") // The signatures are those of C headers; whoever makes one names its header.
    public ControlCall(String name, MemorySegment function, FunctionDescriptor signature, Linker.Option... more) {
        int arguments = signature.argumentLayouts().size();
        Linker.Option[] options = Arrays.copyOf(more, more.length + 1);
        options[more.length] = Linker.Option.captureCallState("errno");
        this.name = name;
        this.handle = Linker.nativeLinker()
                .downcallHandle(function, signature, options)
                .asSpreader(Object[].class, arguments)
                .asType(CALL);
    }

    public Reply call(Object... arguments) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(CALL_STATE);
            long value = (long) handle.invokeExact(state, arguments);
            return new Reply(name, value, (int) ERRNO.get(state, 0L));
        } catch (Throwable e) {
            throw new AssertionError(name + " does not take these arguments", e);
        }
    }
}
