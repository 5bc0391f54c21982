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
 * Wakes a process that sleeps, for peers that do not trust each other: the two ends of a socket ({@code socketpair(2)},
 * SOCK_SEQPACKET). The sleeping process waits at one end, with {@link Epoll#watchForNews}, and hands the other end to each peer.
 *
 * <p>All holders of an end share its flags, so that a peer can make it wait, or fill it. Every call here says itself that it does not
 * wait ({@code MSG_DONTWAIT}), which no peer can take back. An {@code eventfd} has no such call: a peer that clears O_NONBLOCK and
 * fills the counter would stop the thread that rings next.
 */
public final class Bell implements AutoCloseable {

    /** What {@link #silence} takes in one call. */
    static final int MOST_AT_A_TIME = 8;

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

    /** What a ring consists of is not looked at. */
    private static final MemorySegment TAKEN = Arena.global().allocate(1);

    /** What {@link #silence} has done. */
    public enum Silence {
        /** All rings are taken. */
        COMPLETE,
        /** Some are, and there may be more: they are to be taken before the next sleep, which no news would end. */
        PARTIAL,
        /** The bell is shut down: stop waiting for it. {@link Ringer#ring} returns false for all peers. */
        BROKEN
    }

    private final int heard;
    private final int rung;

    private Bell(int heard, int rung) {
        this.heard = heard;
        this.rung = rung;
    }

    /**
     * Makes a bell.
     *
     * @param device the device's name, for the message of a failure
     * @return the bell, to be closed by the caller
     * @throws io.rdmarpc.verbs.error.RdmaVerbsException when there are too many descriptors
     */
    public static Bell open(String device) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment ends = arena.allocate(CStruct.U32, 2);
            int type = SOCK_SEQPACKET | LibSocket.SOCK_NONBLOCK | LibSocket.SOCK_CLOEXEC;
            SOCKETPAIR
                    .call(AF_UNIX, type, 0, ends.address())
                    .check(device, errno -> "No socket for wake-ups: are too many descriptors open? See ulimit -n");
            Bell made = new Bell(ends.getAtIndex(CStruct.U32, 0), ends.getAtIndex(CStruct.U32, 1));
            // Since Linux 6.16: descriptors that peers send with a ring are not taken.
            Reply _ = LibSocket.setOption(made.heard, LibSocket.SOL_SOCKET, SO_PASSRIGHTS, 0);
            return made;
        }
    }

    /** Returns the end to sleep at, which stays with its maker. */
    public int descriptor() {
        return heard;
    }

    /** Returns the end to hand to peers, for {@link Ringer#received}. */
    public int ringer() {
        return rung;
    }

    /**
     * Takes the rings that came, some at most, so that a peer which rings all the time does not keep this thread here. Never waits. A
     * bell whose other end a peer has shut down, or misuses, is shut down. One thread at a time.
     *
     * @param descriptor a bell's {@link #descriptor()}
     * @return what was done
     */
    public static Silence silence(int descriptor) {
        for (int i = 0; i < MOST_AT_A_TIME; i++) {
            long bytes = receive(descriptor);
            if (bytes == 0) {
                // An end of the stream, or a message without a byte: neither is a ring.
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
                    TAKEN.address(),
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
        LibC.close(rung);
        LibC.close(heard);
    }

    /** The end of a peer's bell. One thread at a time. */
    public static final class Ringer implements AutoCloseable {

        private final int descriptor;
        private final MemorySegment callState = Arena.ofAuto().allocate(LibC.CALL_STATE);

        private Ringer(int descriptor) {
            this.descriptor = descriptor;
        }

        /**
         * Takes what a peer has handed over, which is closed when it is something else. Of the sockets only this kind takes no lock that
         * another holder of the descriptor can keep.
         *
         * @param descriptor the caller's until then
         * @return the end, to be closed by the caller
         * @throws IOException when it is no end of a bell
         */
        public static Ringer received(int descriptor) throws IOException {
            int domain = LibSocket.option(descriptor, LibSocket.SOL_SOCKET, SO_DOMAIN);
            int type = LibSocket.option(descriptor, LibSocket.SOL_SOCKET, SO_TYPE);
            if (domain != AF_UNIX || type != SOCK_SEQPACKET) {
                LibC.close(descriptor);
                throw new IOException(
                        "a descriptor of domain " + domain + " and type " + type + " is not used for wake-ups");
            }
            return new Ringer(descriptor);
        }

        /**
         * Wakes the peer. Never waits, whatever other holders of the descriptor do to it.
         *
         * @return false when the bell is broken, and the peer is to be woken in another way; true also when the peer has as many rings
         *     before it as fit
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
