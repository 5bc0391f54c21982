package io.rdmarpc.rpc.wire;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;

/** Control messages on blocking streams, for tests that play a peer. */
public final class ControlFrames {

    private ControlFrames() {}

    /** Reads one message. */
    public static ControlMessage read(DataInputStream in) throws IOException {
        int length = in.readInt();
        ControlCodec.checkLength(length);
        byte[] frame = in.readNBytes(length);
        if (frame.length < length) {
            throw new EOFException("the peer closed in the middle of a control frame");
        }
        return ControlCodec.decode(frame);
    }

    /** Reads until a message other than a heartbeat arrives. */
    public static ControlMessage readNext(DataInputStream in) throws IOException {
        ControlMessage message = read(in);
        while (message instanceof ControlMessage.Heartbeat) {
            message = read(in);
        }
        return message;
    }
}
