package io.rdmarpc.benchmarks.probe.ffi;

import static io.rdmarpc.benchmarks.probe.ffi.Libc.INT;

import java.lang.invoke.MethodHandle;

/**
 * Stops and resumes processes by a system call: a program that sends the signal would take longer than a turn. The numbers are those of Linux on
 * x86-64 and aarch64, {@code asm-generic/signal.h}.
 */
public final class ProcessSignals {

    private static final int SIGCONT = 18;
    private static final int SIGSTOP = 19;
    private static final MethodHandle KILL = Libc.function("kill", INT, INT, INT);

    private ProcessSignals() {}

    /**
     * Stops a process.
     *
     * @param process which this one has started; nothing happens if it has ended
     */
    public static void stop(Process process) {
        send(process, SIGSTOP);
    }

    /**
     * Resumes a process.
     *
     * @param process which this one has started; nothing happens if it has ended
     */
    public static void resume(Process process) {
        send(process, SIGCONT);
    }

    private static void send(Process process, int signal) {
        if (!process.isAlive()) {
            return;
        }
        try {
            int ignored = (int) KILL.invokeExact((int) process.pid(), signal);
        } catch (Throwable e) {
            throw Libc.impossible(e);
        }
    }
}
