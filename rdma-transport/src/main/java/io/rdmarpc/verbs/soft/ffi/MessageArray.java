package io.rdmarpc.verbs.soft.ffi;

import static io.rdmarpc.verbs.ffi.CStruct.offset;
import static io.rdmarpc.verbs.ffi.CStruct.struct;

import io.rdmarpc.verbs.ffi.CStruct;
import io.rdmarpc.verbs.ffi.LibC;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/**
 * Datagrams for one {@code sendmmsg} or {@code recvmmsg}; a single datagram uses neither. Each message has room for an
 * address. One or more entries of a second array refer to its bytes.
 *
 * <pre>
 *   struct msghdr {                 byte      struct mmsghdr {            byte      struct iovec {          byte
 *       void         *msg_name;        0          struct msghdr msg_hdr;     0          void  *iov_base;       0
 *       socklen_t     msg_namelen;     8          unsigned int  msg_len;    56          size_t iov_len;        8
 *       struct iovec *msg_iov;        16      };                            64      };                        16
 *       size_t        msg_iovlen;     24
 *       void         *msg_control;    32
 *       size_t        msg_controllen; 40
 *       int           msg_flags;      48
 *   };                                56
 * </pre>
 *
 * Several datagrams of one size are one message, with the size in a control message.
 *
 * <pre>
 *   struct cmsghdr {          byte
 *       size_t cmsg_len;         0    without padding
 *       int    cmsg_level;       8    SOL_UDP
 *       int    cmsg_type;       12    UDP_SEGMENT or UDP_GRO
 *       uint16_t or int size;   16    the first when sent, the second when received
 *   };                          24
 * </pre>
 *
 * A received message has one more control message of the same length if the socket reports the traffic class. Its level
 * and type are those of the option that sets the class; its value is a byte (IPv4) or an int (IPv6). There is room for
 * both.
 *
 * The garbage collector frees the memory with this object. One thread at a time.
 */
public final class MessageArray {

    /** Room for an address in bytes: a {@code sockaddr_in6} and padding. */
    public static final int NAME_BYTES = 32;

    static final StructLayout IOVEC =
            struct("iovec", CStruct.POINTER.withName("iov_base"), CStruct.U64.withName("iov_len"));

    static final StructLayout MSGHDR = struct(
            "msghdr",
            CStruct.POINTER.withName("msg_name"),
            CStruct.U32.withName("msg_namelen"),
            CStruct.POINTER.withName("msg_iov"),
            CStruct.U64.withName("msg_iovlen"),
            CStruct.POINTER.withName("msg_control"),
            CStruct.U64.withName("msg_controllen"),
            CStruct.U32.withName("msg_flags"));

    static final StructLayout MMSGHDR = struct("mmsghdr", MSGHDR.withName("msg_hdr"), CStruct.U32.withName("msg_len"));

    static final StructLayout CMSGHDR = struct(
            "cmsghdr",
            CStruct.U64.withName("cmsg_len"),
            CStruct.U32.withName("cmsg_level"),
            CStruct.U32.withName("cmsg_type"));

    /** {@code CMSG_SPACE(sizeof(int))}, equal to {@code CMSG_SPACE(sizeof(uint16_t))}. */
    static final long CONTROL_BYTES = 24;

    private static final long CONTROLS_BYTES = 2 * CONTROL_BYTES;
    private static final long CONTROL_LEVEL = offset(CMSGHDR, "cmsg_level");
    private static final long CONTROL_TYPE = offset(CMSGHDR, "cmsg_type");
    private static final long CONTROL_DATA = CMSGHDR.byteSize();

    private static final long BYTES = MMSGHDR.byteSize();
    private static final long NAME = offset(MSGHDR, "msg_name");
    private static final long NAME_LENGTH = offset(MSGHDR, "msg_namelen");
    private static final long IOV = offset(MSGHDR, "msg_iov");
    private static final long IOV_LENGTH = offset(MSGHDR, "msg_iovlen");
    private static final long CONTROL = offset(MSGHDR, "msg_control");
    private static final long CONTROL_LENGTH = offset(MSGHDR, "msg_controllen");
    private static final long LENGTH = offset(MMSGHDR, "msg_len");
    private static final long PIECE_BYTES = IOVEC.byteSize();
    private static final long PIECE_BASE = offset(IOVEC, "iov_base");
    private static final long PIECE_LENGTH = offset(IOVEC, "iov_len");

    private final MemorySegment headers;
    private final MemorySegment pieces;
    private final MemorySegment names;
    private final MemorySegment controls;
    private final MemorySegment callState;

    /** Creates an array for a number of datagrams and pieces (iovecs); each datagram has its own address buffer. */
    public MessageArray(int messages, int pieceCount) {
        Arena arena = Arena.ofAuto();
        headers = arena.allocate(messages * BYTES, MMSGHDR.byteAlignment());
        pieces = arena.allocate(pieceCount * PIECE_BYTES, IOVEC.byteAlignment());
        names = arena.allocate((long) messages * NAME_BYTES, Long.BYTES);
        controls = arena.allocate(messages * CONTROLS_BYTES, Long.BYTES);
        callState = arena.allocate(LibC.CALL_STATE);
        for (int i = 0; i < messages; i++) {
            headers.set(CStruct.POINTER, i * BYTES + NAME, names.address() + (long) i * NAME_BYTES);
            headers.set(CStruct.U32, i * BYTES + NAME_LENGTH, NAME_BYTES);
            headers.set(CStruct.POINTER, i * BYTES + CONTROL, controls.address() + i * CONTROLS_BYTES);
        }
    }

    /** Sets the memory of a piece. */
    public void piece(int piece, MemorySegment bytes) {
        pieces.set(CStruct.POINTER, piece * PIECE_BYTES + PIECE_BASE, bytes.address());
        pieces.set(CStruct.U64, piece * PIECE_BYTES + PIECE_LENGTH, bytes.byteSize());
    }

    /** Changes the length of a piece in bytes. */
    public void pieceLength(int piece, int bytes) {
        pieces.set(CStruct.U64, piece * PIECE_BYTES + PIECE_LENGTH, bytes);
    }

    /** Sets the pieces of a datagram. */
    public void message(int message, int firstPiece, int pieceCount) {
        headers.set(CStruct.POINTER, message * BYTES + IOV, pieces.address() + firstPiece * PIECE_BYTES);
        headers.set(CStruct.U64, message * BYTES + IOV_LENGTH, pieceCount);
    }

    /** Sets the size of the datagrams into which the kernel cuts a sent message; 0 for one datagram. */
    public void segmentBytes(int message, int bytes) {
        headers.set(CStruct.U64, message * BYTES + CONTROL_LENGTH, bytes == 0 ? 0 : CONTROL_BYTES);
        if (bytes > 0) {
            long at = message * CONTROLS_BYTES;
            controls.set(CStruct.U64, at, CONTROL_DATA + Short.BYTES);
            controls.set(CStruct.U32, at + CONTROL_LEVEL, LibSocket.SOL_UDP);
            controls.set(CStruct.U32, at + CONTROL_TYPE, LibSocket.UDP_SEGMENT);
            controls.set(CStruct.U16, at + CONTROL_DATA, (short) bytes);
        }
    }

    /** Resets the buffer lengths of a message before it is received, because each receive shortens them. */
    public void prepare(int message) {
        headers.set(CStruct.U32, message * BYTES + NAME_LENGTH, NAME_BYTES);
        headers.set(CStruct.U64, message * BYTES + CONTROL_LENGTH, CONTROLS_BYTES);
    }

    /** Returns the size of each datagram of a received message except the last; 0 if it is one datagram. */
    public int segmentBytes(int message) {
        return control(message, LibSocket.SOL_UDP, LibSocket.UDP_GRO);
    }

    /** Returns the traffic class of a received message of IPv4 or IPv6; 0 if the socket does not report it. */
    public int trafficClass(int message, boolean ipv4) {
        int value = ipv4
                ? control(message, LibSocket.IPPROTO_IP, LibSocket.IP_TOS)
                : control(message, LibSocket.IPPROTO_IPV6, LibSocket.IPV6_TCLASS);
        return value & 0xFF;
    }

    /** Returns the first four bytes of a received control message, 0 if the message has none of that kind. */
    public int control(int message, int level, int type) {
        long first = message * CONTROLS_BYTES;
        long end = first + headers.get(CStruct.U64, message * BYTES + CONTROL_LENGTH);
        for (long at = first; at + CONTROL_BYTES <= end; at += CONTROL_BYTES) {
            if (controls.get(CStruct.U32, at + CONTROL_LEVEL) == level
                    && controls.get(CStruct.U32, at + CONTROL_TYPE) == type) {
                return controls.get(CStruct.U32, at + CONTROL_DATA);
            }
        }
        return 0;
    }

    /** Copies the destination address of a datagram to send. */
    public void name(int message, MemorySegment address, int bytes) {
        MemorySegment.copy(address, 0, names, (long) message * NAME_BYTES, NAME_BYTES);
        headers.set(CStruct.POINTER, message * BYTES + NAME, names.address() + (long) message * NAME_BYTES);
        headers.set(CStruct.U32, message * BYTES + NAME_LENGTH, bytes);
    }

    /** Selects the address to which the socket is connected as the destination of a datagram. */
    public void noName(int message) {
        headers.set(CStruct.POINTER, message * BYTES + NAME, 0);
        headers.set(CStruct.U32, message * BYTES + NAME_LENGTH, 0);
    }

    /** Returns the buffer of all addresses, {@link #NAME_BYTES} for each datagram. */
    public MemorySegment names() {
        return names;
    }

    /** Returns the length of a received datagram in bytes. */
    public int length(int message) {
        return headers.get(CStruct.U32, message * BYTES + LENGTH);
    }

    /**
     * Sends datagrams without blocking; returns the number of sent messages, or a negative error number if the first
     * fails. A single datagram of one piece is sent by {@code sendto}, which takes one twelfth less time, because the
     * kernel reads no arrays.
     */
    public int send(int socket, int first, int count) {
        if (count > 1 || !isOnePiece(first)) {
            return LibSocket.sendMany(callState, socket, headers.address() + first * BYTES, count);
        }
        int sent = sendOne(socket, first);
        return sent < 0 ? sent : 1;
    }

    private boolean isOnePiece(int message) {
        return headers.get(CStruct.U64, message * BYTES + IOV_LENGTH) == 1
                && headers.get(CStruct.U64, message * BYTES + CONTROL_LENGTH) == 0;
    }

    private int sendOne(int socket, int message) {
        long header = message * BYTES;
        long piece = headers.get(CStruct.POINTER, header + IOV) - pieces.address();
        return LibSocket.sendOne(
                callState,
                socket,
                pieces.get(CStruct.POINTER, piece + PIECE_BASE),
                pieces.get(CStruct.U64, piece + PIECE_LENGTH),
                headers.get(CStruct.POINTER, header + NAME),
                headers.get(CStruct.U32, header + NAME_LENGTH));
    }

    /**
     * Receives datagrams without blocking; returns their number, or a negative error number. A single datagram is
     * received by {@code recvmsg}, which is cheaper than an array of one.
     */
    public int receive(int socket, int count) {
        if (count > 1) {
            return LibSocket.receiveMany(callState, socket, headers.address(), count);
        }
        int bytes = LibSocket.receiveOne(callState, socket, headers.address());
        if (bytes < 0) {
            return bytes;
        }
        headers.set(CStruct.U32, LENGTH, bytes);
        return 1;
    }
}
