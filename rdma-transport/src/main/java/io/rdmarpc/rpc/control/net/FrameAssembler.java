package io.rdmarpc.rpc.control.net;

import io.rdmarpc.rpc.wire.ControlCodec;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Assembles frames from received pieces. Stores at most the received bytes of one frame, and nothing between frames.
 */
public final class FrameAssembler {

    private static final int FIRST_CAPACITY = 512;
    private static final byte[] NONE = {};

    private byte[] partial = NONE;
    private int count;

    /**
     * Consumes bytes up to the end of a frame.
     *
     * @return type and body of a frame; null if all bytes are consumed and the frame is incomplete
     * @throws IOException if its length is not allowed
     */
    public byte @Nullable [] next(ByteBuffer bytes) throws IOException {
        if (!take(bytes, Integer.BYTES)) {
            return null;
        }
        int length = ByteBuffer.wrap(partial).getInt(0);
        ControlCodec.checkLength(length);
        if (!take(bytes, Integer.BYTES + length)) {
            return null;
        }
        byte[] frame = Arrays.copyOfRange(partial, Integer.BYTES, count);
        partial = NONE;
        count = 0;
        return frame;
    }

    /** Returns the number of stored bytes of an incomplete frame. */
    public int keptBytes() {
        return partial.length;
    }

    /** Drops an incomplete frame. */
    public void drop() {
        partial = NONE;
        count = 0;
    }

    /** Consumes bytes until that number is stored; returns whether it is. */
    private boolean take(ByteBuffer bytes, int upTo) {
        int more = Math.min(upTo - count, bytes.remaining());
        if (more > 0) {
            if (count + more > partial.length) {
                partial = Arrays.copyOf(partial, Math.min(upTo, Math.max(count + more, capacity())));
            }
            bytes.get(partial, count, more);
            count += more;
        }
        return count >= upTo;
    }

    private int capacity() {
        return Math.max(FIRST_CAPACITY, partial.length * 2);
    }
}
