package io.rdmarpc.benchmarks.probe.ffi;

import static io.rdmarpc.benchmarks.probe.ffi.Libc.INT;

import java.lang.invoke.MethodHandle;

/**
 * Stops and resumes processes by a system call. Starting a program that sends the signal would take longer than a turn.
 * The signal numbers are those of Linux on x86-64 and aarch64, {@code asm-generic/signal.h}.
 */
public final class ProcessSignals {

    private static final int SIGCONT = 18;
    private static final int SIGSTOP = 19;
    private static final MethodHandle KILL = Libc.function("kill", INT, INT, INT);

    private ProcessSignals() {}

    /**
     * Stops a process by {@code SIGSTOP}.
     *
     * @param process child process of this process; the call has no effect if it has ended
     */
    public static void stop(Process process) {
        send(process, SIGSTOP);
    }

    /**
     * Resumes a process by {@code SIGCONT}.
     *
     * @param process child process of this process; the call has no effect if it has ended
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
