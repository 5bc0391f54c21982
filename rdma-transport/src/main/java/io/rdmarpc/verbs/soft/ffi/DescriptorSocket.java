package io.rdmarpc.verbs.soft.ffi;

import static io.rdmarpc.verbs.ffi.CStruct.offset;

import io.rdmarpc.verbs.ffi.CStruct;
import io.rdmarpc.verbs.ffi.ControlCall;
import io.rdmarpc.verbs.ffi.LibC;
import io.rdmarpc.verbs.ffi.Reply;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * A datagram socket with a name in the file system, through which processes pass descriptors to each other ({@code
 * unix(7)}, SCM_RIGHTS). A message has {@value #MESSAGE_BYTES} bytes and at most one descriptor. The kernel adds the
 * process identifier of the sender. Never blocks. One thread at a time.
 */
public final class DescriptorSocket implements AutoCloseable {

    /** Size of every message in bytes. */
    public static final int MESSAGE_BYTES = 32;

    /** The value for no descriptor. */
    public static final int NONE = -1;

    static final int AF_UNIX = 1;
    static final int SCM_RIGHTS = 1;
    static final int SCM_CREDENTIALS = 2;
    static final int SO_PASSCRED = 16;
    static final int MSG_CMSG_CLOEXEC = 0x4000_0000;
    static final int PATH_BYTES = 108;

    static final StructLayout SOCKADDR_UN =
            CStruct.struct("sockaddr_un", CStruct.U16.withName("sun_family"), CStruct.chars("sun_path", PATH_BYTES));

    /** {@code CMSG_LEN(sizeof(int))}. */
    static final long ONE_DESCRIPTOR = MessageArray.CMSGHDR.byteSize() + Integer.BYTES;

    private static final long PATH = offset(SOCKADDR_UN, "sun_path");
    private static final long FIRST = MessageArray.CMSGHDR.byteSize();
    private static final long SECOND = FIRST + Integer.BYTES;

    /** {@code CMSG_SPACE(sizeof(struct ucred))}; the process identifier is the first field. */
    static final long CREDENTIALS_BYTES = MessageArray.CMSGHDR.byteSize() + 2 * Long.BYTES;

    private static final long RECEIVED_CONTROL_BYTES = CREDENTIALS_BYTES + MessageArray.CONTROL_BYTES;
    private static final long LEVEL = offset(MessageArray.CMSGHDR, "cmsg_level");
    private static final long TYPE = offset(MessageArray.CMSGHDR, "cmsg_type");

    /** {@code int bind(int sockfd, const struct sockaddr *addr, socklen_t addrlen)}. */
    private static final ControlCall BIND =
            LibC.cold("bind", FunctionDescriptor.of(CStruct.U32, CStruct.U32, CStruct.POINTER, CStruct.U32));

    /** {@code ssize_t sendmsg(int sockfd, const struct msghdr *msg, int flags)}. */
    private static final ControlCall SENDMSG =
            LibC.cold("sendmsg", FunctionDescriptor.of(CStruct.U64, CStruct.U32, CStruct.POINTER, CStruct.U32));

    /** {@code ssize_t recvmsg(int sockfd, struct msghdr *msg, int flags)}. */
    private static final ControlCall RECVMSG =
            LibC.cold("recvmsg", FunctionDescriptor.of(CStruct.U64, CStruct.U32, CStruct.POINTER, CStruct.U32));

    private final int socket;
    private final MemorySegment header;
    private final MemorySegment piece;
    private final MemorySegment message;
    private final MemorySegment control;
    private int descriptor = NONE;
    private int process;

    private DescriptorSocket(int socket) {
        Arena arena = Arena.ofAuto();
        this.socket = socket;
        this.header = arena.allocate(MessageArray.MSGHDR);
        this.piece = arena.allocate(MessageArray.IOVEC);
        this.message = arena.allocate(MESSAGE_BYTES, Long.BYTES);
        this.control = arena.allocate(RECEIVED_CONTROL_BYTES, Long.BYTES);
        piece.set(CStruct.POINTER, offset(MessageArray.IOVEC, "iov_base"), message.address());
        piece.set(CStruct.U64, offset(MessageArray.IOVEC, "iov_len"), MESSAGE_BYTES);
        header.set(CStruct.POINTER, offset(MessageArray.MSGHDR, "msg_iov"), piece.address());
        header.set(CStruct.U64, offset(MessageArray.MSGHDR, "msg_iovlen"), 1);
        header.set(CStruct.POINTER, offset(MessageArray.MSGHDR, "msg_control"), control.address());
    }

    /**
     * Creates a socket that other processes address by its file.
     *
     * @throws IOException if the file exists or its name is too long
     */
    public static DescriptorSocket bind(Path file) throws IOException {
        Reply socket = LibSocket.datagramSocket(AF_UNIX);
        if (socket.value() < 0) {
            throw new IOException("cannot create a socket: errno " + socket.capturedErrno());
        }
        DescriptorSocket made = new DescriptorSocket((int) socket.value());
        // Requests the sender's process identifier with each message.
        Reply _ = LibSocket.setOption(made.socket, LibSocket.SOL_SOCKET, SO_PASSCRED, 1);
        try (Arena arena = Arena.ofConfined()) {
            Reply bound = BIND.call(made.socket, name(arena, file).address(), (int) SOCKADDR_UN.byteSize());
            if (bound.value() < 0) {
                throw new IOException("cannot bind a socket to " + file + ": errno " + bound.capturedErrno());
            }
            return made;
        } catch (IOException e) {
            made.close();
            throw e;
        }
    }

    private static MemorySegment name(Arena arena, Path file) throws IOException {
        byte[] path = file.toString().getBytes(StandardCharsets.UTF_8);
        if (path.length >= PATH_BYTES) {
            throw new IOException("the path of a socket must be shorter than " + PATH_BYTES + " bytes: " + file);
        }
        MemorySegment name = arena.allocate(SOCKADDR_UN);
        name.set(CStruct.U16, 0, (short) AF_UNIX);
        MemorySegment.copy(MemorySegment.ofArray(path), 0, name, PATH, path.length);
        return name;
    }

    /** Returns the buffer of the next message to send, or of the last received message. */
    public MemorySegment message() {
        return message;
    }

    /**
     * Sends the message.
     *
     * @param file the receiver's file
     * @param passed the descriptor to send with it, or {@link #NONE}
     * @return false if the receiver is gone or its buffer is full
     */
    public boolean send(Path file, int passed) {
        boolean passes = passed != NONE;
        header.set(CStruct.U64, offset(MessageArray.MSGHDR, "msg_controllen"), passes ? MessageArray.CONTROL_BYTES : 0);
        control.set(CStruct.U64, offset(MessageArray.CMSGHDR, "cmsg_len"), ONE_DESCRIPTOR);
        control.set(CStruct.U32, offset(MessageArray.CMSGHDR, "cmsg_level"), LibSocket.SOL_SOCKET);
        control.set(CStruct.U32, offset(MessageArray.CMSGHDR, "cmsg_type"), SCM_RIGHTS);
        control.set(CStruct.U32, FIRST, passed);
        try (Arena arena = Arena.ofConfined()) {
            setName(name(arena, file).address(), (int) SOCKADDR_UN.byteSize());
            return SENDMSG.call(socket, header.address(), LibSocket.MSG_DONTWAIT)
                            .value()
                    == MESSAGE_BYTES;
        } catch (IOException e) {
            return false;
        }
    }

    private void setName(long address, int bytes) {
        header.set(CStruct.POINTER, offset(MessageArray.MSGHDR, "msg_name"), address);
        header.set(CStruct.U32, offset(MessageArray.MSGHDR, "msg_namelen"), bytes);
    }

    /** Receives a message; false if there is none. A message of another length is replaced by zeros. */
    public boolean receive() {
        descriptor = NONE;
        process = 0;
        setName(0, 0);
        header.set(CStruct.U64, offset(MessageArray.MSGHDR, "msg_controllen"), RECEIVED_CONTROL_BYTES);
        long bytes = RECVMSG.call(socket, header.address(), LibSocket.MSG_DONTWAIT | MSG_CMSG_CLOEXEC)
                .value();
        if (bytes < 0) {
            return false;
        }
        readControls();
        if (bytes != MESSAGE_BYTES) {
            message.fill((byte) 0);
        }
        return true;
    }

    private void readControls() {
        long received = header.get(CStruct.U64, offset(MessageArray.MSGHDR, "msg_controllen"));
        for (long at = 0; at + ONE_DESCRIPTOR <= received; ) {
            long length = control.get(CStruct.U64, at);
            if (length < ONE_DESCRIPTOR || length > received - at) {
                return;
            }
            if (control.get(CStruct.U32, at + LEVEL) == LibSocket.SOL_SOCKET) {
                readControl(at, length);
            }
            at += length + Long.BYTES - 1 & -Long.BYTES;
        }
    }

    private void readControl(long at, long length) {
        switch (control.get(CStruct.U32, at + TYPE)) {
            case SCM_RIGHTS -> keepFirstDescriptor(at, length);
            case SCM_CREDENTIALS -> process = control.get(CStruct.U32, at + FIRST);
            default -> {} // No other control message was requested.
        }
    }

    /** Keeps one descriptor and closes any others, which only a misbehaving peer sends. */
    private void keepFirstDescriptor(long at, long length) {
        dropDescriptor();
        descriptor = control.get(CStruct.U32, at + FIRST);
        for (long more = SECOND; more + Integer.BYTES <= length; more += Integer.BYTES) {
            LibC.close(control.get(CStruct.U32, at + more));
        }
    }

    /**
     * Returns the process that sent the message, as reported by the kernel.
     *
     * @return its identifier in this namespace, or 0 if unknown, such as for a process of another namespace
     */
    public int process() {
        return process;
    }

    /** Returns the descriptor of the message, which the caller then owns; or {@link #NONE}. */
    public int takeDescriptor() {
        int taken = descriptor;
        descriptor = NONE;
        return taken;
    }

    /** Closes the descriptor of the message unless {@link #takeDescriptor} has returned it. */
    public void dropDescriptor() {
        if (descriptor != NONE) {
            LibC.close(takeDescriptor());
        }
    }

    /** Closes the socket; its file stays. */
    @Override
    public void close() {
        LibC.close(socket);
    }
}
