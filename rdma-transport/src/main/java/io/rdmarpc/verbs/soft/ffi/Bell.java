package io.rdmarpc.verbs.soft.ffi;

import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.ffi.CStruct;
import io.rdmarpc.verbs.ffi.ControlCall;
import io.rdmarpc.verbs.ffi.LibC;
import io.rdmarpc.verbs.ffi.Reply;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Wakes a sleeping process, for peers that do not trust each other: the two ends of a socket ({@code socketpair(2)},
 * SOCK_SEQPACKET). The sleeping process waits at one end, with {@link Epoll#watchEdges}, and passes the other end to
 * each peer.
 *
 * <p>All holders of an end share its file status flags, so that a peer can make it blocking, or fill it. Every call
 * here requests non-blocking operation itself ({@code MSG_DONTWAIT}), which no peer can revoke. An {@code eventfd} has
 * no such call: a peer that clears O_NONBLOCK and fills the counter would block the thread that rings next.
 */
public final class Bell implements AutoCloseable {

    /** Maximum number of rings that {@link #silence} reads in one call. */
    static final int MAX_PER_CALL = 8;

    static final int AF_UNIX = 1;
    static final int SOCK_SEQPACKET = 5;
    static final int SO_TYPE = 3;
    static final int SO_DOMAIN = 39;
    static final int SO_PASSRIGHTS = 83;
    static final int MSG_NOSIGNAL = 0x4000;
    static final int SHUT_RDWR = 2;

    /** {@code int socketpair(int domain, int type, int protocol, int sv[2])}. */
    private static final ControlCall SOCKETPAIR = LibC.cold(
            "socketpair", FunctionDescriptor.of(CStruct.U32, CStruct.U32, CStruct.U32, CStruct.U32, CStruct.POINTER));

    /** {@code int shutdown(int sockfd, int how)}. */
    private static final ControlCall SHUTDOWN =
            LibC.cold("shutdown", FunctionDescriptor.of(CStruct.U32, CStruct.U32, CStruct.U32));

    /** {@code ssize_t send(int sockfd, const void *buf, size_t len, int flags)}. */
    private static final MemorySegment SEND = LibC.symbol("send");

    /** {@code ssize_t recv(int sockfd, void *buf, size_t len, int flags)}. */
    private static final MemorySegment RECV = LibC.symbol("recv");

    private static final MemorySegment RING = Arena.global().allocateFrom(ValueLayout.JAVA_BYTE, (byte) 1);

    /** The content of a ring is ignored. */
    private static final MemorySegment DISCARDED = Arena.global().allocate(1);

    /** The outcome of {@link #silence}. */
    public enum Silence {
        /** All rings were read. */
        COMPLETE,
        /**
         * Some rings were read and there may be more. They have to be read before the next sleep, which only a new ring
         * would end.
         */
        PARTIAL,
        /** The bell is shut down: remove it from the epoll set. {@link Ringer#ring} returns false for all peers. */
        BROKEN
    }

    private final int receiveEnd;
    private final int sendEnd;

    private Bell(int receiveEnd, int sendEnd) {
        this.receiveEnd = receiveEnd;
        this.sendEnd = sendEnd;
    }

    /**
     * Creates a bell.
     *
     * @param device the device's name, for the message of a failure
     * @return the bell, owned by the caller
     * @throws io.rdmarpc.verbs.error.RdmaVerbsException if too many descriptors are open
     */
    public static Bell open(String device) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment ends = arena.allocate(CStruct.U32, 2);
            int type = SOCK_SEQPACKET | LibSocket.SOCK_NONBLOCK | LibSocket.SOCK_CLOEXEC;
            SOCKETPAIR
                    .call(AF_UNIX, type, 0, ends.address())
                    .check(
                            device,
                            errno -> "Cannot create a socket for wake-ups. Check for too many open"
                                    + " descriptors: ulimit -n");
            Bell made = new Bell(ends.getAtIndex(CStruct.U32, 0), ends.getAtIndex(CStruct.U32, 1));
            // Since Linux 6.16: the kernel rejects descriptors that peers send with a ring.
            Reply _ = LibSocket.setOption(made.receiveEnd, LibSocket.SOL_SOCKET, SO_PASSRIGHTS, 0);
            return made;
        }
    }

    /** Returns the end at which this process sleeps; the bell owns it. */
    public int descriptor() {
        return receiveEnd;
    }

    /** Returns the end to pass to peers, for {@link Ringer#received}; the bell owns it. */
    public int ringer() {
        return sendEnd;
    }

    /**
     * Reads the pending rings, up to a limit, so that a peer that rings all the time does not hold this thread. Never
     * blocks. Shuts the bell down if a peer has shut its other end down or misuses it. One thread at a time.
     *
     * @param descriptor a bell's {@link #descriptor()}
     * @return the outcome
     */
    public static Silence silence(int descriptor) {
        for (int i = 0; i < MAX_PER_CALL; i++) {
            long bytes = receive(descriptor);
            if (bytes == 0) {
                // End of stream or an empty message: neither is a ring.
                Reply _ = SHUTDOWN.call(descriptor, SHUT_RDWR);
                return Silence.BROKEN;
            }
            if (bytes < 0) {
                return Silence.COMPLETE;
            }
        }
        return Silence.PARTIAL;
    }

    private static long receive(int descriptor) {
        try {
            return (long) LibC.CALL.invokeExact(
                    RECV,
                    LibC.UNREAD_STATE,
                    (long) descriptor,
                    DISCARDED.address(),
                    1L,
                    (long) LibSocket.MSG_DONTWAIT,
                    0L,
                    0L);
        } catch (Throwable e) {
            throw LibC.impossible(e);
        }
    }

    @Override
    public void close() {
        LibC.close(sendEnd);
        LibC.close(receiveEnd);
    }

    /** The sending end of a peer's bell. One thread at a time. */
    public static final class Ringer implements AutoCloseable {

        private final int descriptor;
        private final MemorySegment callState = Arena.ofAuto().allocate(LibC.CALL_STATE);

        private Ringer(int descriptor) {
            this.descriptor = descriptor;
        }

        /**
         * Wraps a descriptor that a peer has passed. A descriptor of another kind is closed. This is the only kind of
         * socket that takes no lock that another holder of the descriptor can hold.
         *
         * @param descriptor owned by the caller before the call
         * @return the end, owned by the caller
         * @throws IOException if the descriptor is not an end of a bell
         */
        public static Ringer received(int descriptor) throws IOException {
            int domain = LibSocket.option(descriptor, LibSocket.SOL_SOCKET, SO_DOMAIN);
            int type = LibSocket.option(descriptor, LibSocket.SOL_SOCKET, SO_TYPE);
            if (domain != AF_UNIX || type != SOCK_SEQPACKET) {
                LibC.close(descriptor);
                throw new IOException(
                        "a descriptor of domain " + domain + " and type " + type + " is not a socket of a bell");
            }
            return new Ringer(descriptor);
        }

        /**
         * Wakes the peer. Never blocks, whatever other holders of the descriptor do.
         *
         * @return false if the bell is broken, so that the peer has to be woken differently; true also if its buffer is
         * full of rings
         */
        public boolean ring() {
            long sent;
            try {
                sent = (long) LibC.CALL.invokeExact(
                        SEND,
                        callState,
                        (long) descriptor,
                        RING.address(),
                        1L,
                        (long) (LibSocket.MSG_DONTWAIT | MSG_NOSIGNAL),
                        0L,
                        0L);
            } catch (Throwable e) {
                throw LibC.impossible(e);
            }
            return sent >= 0 || LibC.errno(callState) == Errno.EAGAIN;
        }

        @Override
        public void close() {
            LibC.close(descriptor);
        }
    }
}
