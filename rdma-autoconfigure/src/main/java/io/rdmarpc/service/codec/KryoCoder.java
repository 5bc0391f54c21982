package io.rdmarpc.service.codec;

import com.esotericsoftware.kryo.Kryo;

/**
 * A Kryo with what it writes to and reads from. One thread at a time.
 *
 * @param kryo knows the classes of one service
 * @param output writes one message after the other
 * @param input reads one message after the other
 */
record KryoCoder(Kryo kryo, MessageOutput output, MessageInput input) {

    KryoCoder(Kryo kryo) {
        this(kryo, new MessageOutput(), new MessageInput());
    }
}
