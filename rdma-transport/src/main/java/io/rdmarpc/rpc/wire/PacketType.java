package io.rdmarpc.rpc.wire;

/** The types of datagrams. Servers receive requests and their follow-up packets; clients receive the others. */
public final class PacketType {

    /** Client to server: a call with its arguments in the packet. */
    public static final int REQUEST = 1;

    /** Client to server: a call whose arguments the server READs. */
    public static final int LARGE_REQUEST = 2;

    /** Server to client: the result, or with a status other than 0 a {@link FailureText}. */
    public static final int RESPONSE = 3;

    /** Server to client: a response whose result the client READs. */
    public static final int LARGE_RESPONSE = 4;

    /** Server to client: the server has the call and no response yet; sent for a retransmitted request. */
    public static final int PROGRESS = 5;

    /** Client to server: the client has READ the large result, and the server may reuse its memory. */
    public static final int RELEASE = 6;

    /** Client to server: the caller has cancelled; the server must not start the call if it has not run yet. */
    public static final int CANCEL = 7;

    /** Either direction: a message of a stream in the packet, or, with a flag, the end of the direction. */
    public static final int STREAM_ITEM = 16;

    /** Either direction: a message of a stream that the receiver READs. */
    public static final int STREAM_LARGE_ITEM = 17;

    /** Either direction: how much of a stream has arrived, and how much more the peer may send. */
    public static final int STREAM_ACK = 18;

    /** Added to the types of a stream in packets to the client. */
    public static final int TO_CLIENT = 8;

    private PacketType() {}

    /**
     * Returns whether this version knows a type.
     *
     * @param type a type, not checked
     * @return true for the types above
     */
    public static boolean isKnown(int type) {
        return (type >= REQUEST && type <= CANCEL) || isStream(type);
    }

    /**
     * Returns whether a packet belongs to a stream.
     *
     * @param type a type, not checked
     * @return true for the STREAM types in both directions
     */
    public static boolean isStream(int type) {
        int kind = type & ~TO_CLIENT;
        return kind >= STREAM_ITEM && kind <= STREAM_ACK;
    }

    /**
     * Returns whether servers receive a type.
     *
     * @param type a type, not checked
     * @return true for the types that a server receives
     */
    public static boolean isForServer(int type) {
        return type == REQUEST
                || type == LARGE_REQUEST
                || type == RELEASE
                || type == CANCEL
                || (isStream(type) && (type & TO_CLIENT) == 0);
    }

    /**
     * Returns whether the receiver READs the message.
     *
     * @param type a type
     * @return true for the LARGE types
     */
    public static boolean isLarge(int type) {
        return type == LARGE_REQUEST || type == LARGE_RESPONSE || (type & ~TO_CLIENT) == STREAM_LARGE_ITEM;
    }
}
