package io.rdmarpc.verbs.wr;

/** The flags of a send work request, by their C values ({@code enum ibv_send_flags}). */
public final class SendFlags {

    /** Wait until earlier READs and atomics of this queue pair are complete. */
    public static final int FENCE = 1;

    /** Report success with a completion; without it only failures are reported. */
    public static final int SIGNALED = 2;

    /** Request a solicited event at the receiver. */
    public static final int SOLICITED = 4;

    /** Copy the payload when the request is posted: the memory may be reused at once and needs no registration. */
    public static final int INLINE = 8;

    private SendFlags() {}
}
