package io.rdmarpc.service.codec;

import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps idle coders: not per thread, since virtual threads come and go by the million. Never blocks; when none is idle a new
 * one is made, and what the pool cannot hold is left to the garbage collector. Any thread.
 */
final class KryoPool {

    private final AtomicReference<@Nullable KryoCoder> hot = new AtomicReference<>();
    private final Queue<KryoCoder> idle;
    private final Supplier<KryoCoder> factory;

    KryoPool(int capacity, Supplier<KryoCoder> factory) {
        this.idle = new ArrayBlockingQueue<>(capacity);
        this.factory = factory;
    }

    /** Takes a coder for one message; who does not give it back because it failed, loses nothing but time. */
    KryoCoder acquire() {
        KryoCoder coder = hot.getAndSet(null);
        if (coder == null) {
            coder = idle.poll();
        }
        return coder != null ? coder : factory.get();
    }

    void release(KryoCoder coder) {
        if (!hot.compareAndSet(null, coder)) {
            boolean _ = idle.offer(coder);
        }
    }
}
