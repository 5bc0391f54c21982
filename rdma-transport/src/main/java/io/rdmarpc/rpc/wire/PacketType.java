package io.rdmarpc.rpc.wire;

/** What a datagram is. Requests, and what follows from them, go to servers; the others to clients. */
public final class PacketType {

    /** Client to server: a call, arguments in the packet. */
    public static final int REQUEST = 1;

    /** Client to server: a call, the server READs the arguments. */
    public static final int LARGE_REQUEST = 2;

    /** Server to client: the result, or with a status other than 0 the failure in words. */
    public static final int RESPONSE = 3;

    /** Server to client: the client READs the result. */
    public static final int LARGE_RESPONSE = 4;

    /** Server to client: the call is known and not yet answered; sent for a repeated request. */
    public static final int PROGRESS = 5;

    /** Client to server: the large result was READ, its memory may be reused. */
    public static final int RELEASE = 6;

    /** Client to server: the caller has given up; a call that has not run yet shall not run. */
    public static final int CANCEL = 7;

    /** Either way: a message of a stream, in the packet; or, by flag, its end. */
    public static final int STREAM_ITEM = 16;

    /** Either way: a message of a stream, to be READ. */
    public static final int STREAM_LARGE_ITEM = 17;

    /** Either way: how much of a stream has arrived, and how much more may. */
    public static final int STREAM_ACK = 18;

    /** Added to a stream's types that go to the client. */
    public static final int TO_CLIENT = 8;

    private PacketType() {}

    /**
     * Tells whether this version knows a type.
     *
     * @param type a type, not checked
     * @return true for those above
     */
    public static boolean isKnown(int type) {
        return (type >= REQUEST && type <= CANCEL) || isStream(type);
    }

    /**
     * Tells whether a packet belongs to a stream.
     *
     * @param type a type, not checked
     * @return true for the STREAM types, either way
     */
    public static boolean isStream(int type) {
        int kind = type & ~TO_CLIENT;
        return kind >= STREAM_ITEM && kind <= STREAM_ACK;
    }

    /**
     * Tells who receives a type.
     *
     * @param type a type, not checked
     * @return true for what a server receives
     */
    public static boolean isForServer(int type) {
        return type == REQUEST
                || type == LARGE_REQUEST
                || type == RELEASE
                || type == CANCEL
                || (isStream(type) && (type & TO_CLIENT) == 0);
    }

    /**
     * Tells whether the message is to be READ.
     *
     * @param type a type
     * @return true for the LARGE types
     */
    public static boolean isLarge(int type) {
        return type == LARGE_REQUEST || type == LARGE_RESPONSE || (type & ~TO_CLIENT) == STREAM_LARGE_ITEM;
    }
}
