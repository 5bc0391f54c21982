package io.rdmarpc.rpc.control.net;

import io.rdmarpc.rpc.wire.ControlCodec;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Makes frames of the pieces in which bytes arrive. Keeps no more than the bytes of one frame that have arrived, and
 * nothing between frames.
 */
public final class FrameAssembler {

    private static final int FIRST_CAPACITY = 512;
    private static final byte[] NONE = {};

    private byte[] partial = NONE;
    private int count;

    /**
     * Takes bytes up to the end of a frame.
     *
     * @return type and body of a frame; null when all bytes are taken and it is not complete
     * @throws IOException when its length is not allowed
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

    /** Returns how many bytes it keeps until the rest of a frame arrives. */
    public int keptBytes() {
        return partial.length;
    }

    /** Drops what has arrived of a frame. */
    public void drop() {
        partial = NONE;
        count = 0;
    }

    /** Returns whether that many are there. */
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
