package io.rdmarpc.verbs.error;

/** The C error numbers that verbs return, by their Linux values ({@code asm-generic/errno.h}). */
public final class Errno {

    /** Operation not permitted. */
    public static final int EPERM = 1;

    /** No such entry. */
    public static final int ENOENT = 2;

    /** Input or output error. */
    public static final int EIO = 5;

    /** Bad file descriptor. */
    public static final int EBADF = 9;

    /** The resource is temporarily unavailable. */
    public static final int EAGAIN = 11;

    /** Not enough memory, a full queue, or a limit such as memlock. */
    public static final int ENOMEM = 12;

    /** Permission denied. */
    public static final int EACCES = 13;

    /** Bad address. */
    public static final int EFAULT = 14;

    /** Device or resource busy. */
    public static final int EBUSY = 16;

    /** No such device. */
    public static final int ENODEV = 19;

    /** Invalid argument. */
    public static final int EINVAL = 22;

    /** Function not implemented, or no kernel support for RDMA. */
    public static final int ENOSYS = 38;

    /** Message too long. */
    public static final int EMSGSIZE = 90;

    /** Operation not supported. */
    public static final int EOPNOTSUPP = 95;

    /** Address already in use. */
    public static final int EADDRINUSE = 98;

    /** The machine has no such address. */
    public static final int EADDRNOTAVAIL = 99;

    /** Network is unreachable. */
    public static final int ENETUNREACH = 101;

    /** Connection timed out. */
    public static final int ETIMEDOUT = 110;

    /** Connection refused. */
    public static final int ECONNREFUSED = 111;

    /** No route to the host. */
    public static final int EHOSTUNREACH = 113;

    private Errno() {}

    /**
     * Describes an error number for a message.
     *
     * @param errno a Linux error number
     * @return such as {@code errno 12 (ENOMEM, cannot allocate memory)}
     */
    public static String describe(int errno) {
        String words = switch (errno) {
            case EPERM -> "EPERM, operation not permitted";
            case ENOENT -> "ENOENT, no such entry";
            case EIO -> "EIO, input/output error";
            case EBADF -> "EBADF, bad file descriptor";
            case EAGAIN -> "EAGAIN, try again";
            case ENOMEM -> "ENOMEM, cannot allocate memory";
            case EACCES -> "EACCES, permission denied";
            case EFAULT -> "EFAULT, bad address";
            case EBUSY -> "EBUSY, resource busy";
            case ENODEV -> "ENODEV, no such device";
            case EINVAL -> "EINVAL, invalid argument";
            case ENOSYS -> "ENOSYS, function not implemented";
            case EMSGSIZE -> "EMSGSIZE, message too long";
            case EOPNOTSUPP -> "EOPNOTSUPP, operation not supported";
            case EADDRINUSE -> "EADDRINUSE, address in use";
            case EADDRNOTAVAIL -> "EADDRNOTAVAIL, no such address on this machine";
            case ENETUNREACH -> "ENETUNREACH, network unreachable";
            case ETIMEDOUT -> "ETIMEDOUT, timed out";
            case ECONNREFUSED -> "ECONNREFUSED, connection refused";
            case EHOSTUNREACH -> "EHOSTUNREACH, no route to host";
            default -> "";
        };
        return words.isEmpty() ? "errno " + errno : "errno " + errno + " (" + words + ")";
    }
}
