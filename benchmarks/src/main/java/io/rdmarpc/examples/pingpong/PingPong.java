package io.rdmarpc.examples.pingpong;

import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.wr.CompletionStatus;
import io.rdmarpc.verbs.wr.ReceiveRequests;
import io.rdmarpc.verbs.wr.SendFlags;
import io.rdmarpc.verbs.wr.SendOpcode;
import io.rdmarpc.verbs.wr.SendRequests;
import io.rdmarpc.verbs.wr.WorkCompletions;
import java.lang.foreign.Arena;
import java.time.Duration;

/**
 * Exchanges messages: each end sends after it has received a message and its previous send has completed. The client
 * begins.
 *
 * <p>Receives are posted in bulk, before the peer knows the queue pair, and again when only one is left.
 */
final class PingPong {

    private static final int RECEIVED = 1;
    private static final int SENT = 2;
    private static final long LIMIT_NANOS = Duration.ofSeconds(30).toNanos();
    private static final int POLLS_PER_CLOCK_READ = 1 << 14;

    private final QueuePair queuePair;
    private final CompletionQueue queue;
    private final WorkCompletions completions;
    private final SendRequests send;
    private final ReceiveRequests receives;
    private final int iterations;
    private int posted;
    private int sent;
    private int received;
    private int awaited = RECEIVED;

    PingPong(Arena arena, QueuePair queuePair, CompletionQueue queue, int iterations, int receiveDepth) {
        this.queuePair = queuePair;
        this.queue = queue;
        this.completions = WorkCompletions.allocate(arena, 2);
        this.send = SendRequests.allocate(arena, 1, 1);
        this.receives = ReceiveRequests.allocate(arena, receiveDepth);
        this.iterations = iterations;
    }

    /** Sets the memory of messages. A datagram's receive buffer begins with the global route header. */
    void use(MemoryRegion buffer, int headerBytes, int messageBytes) {
        send.set(0, SENT, SendOpcode.SEND, SendFlags.SIGNALED, 1);
        send.setSge(0, 0, buffer.address() + headerBytes, messageBytes, buffer.lkey());
        send.chain(0, 1);
        for (int i = 0; i < receives.capacity(); i++) {
            receives.set(i, RECEIVED, buffer.address(), headerBytes + messageBytes, buffer.lkey());
        }
    }

    SendRequests send() {
        return send;
    }

    void postReceives() {
        int missing = receives.capacity() - posted;
        receives.chain(0, missing);
        check("receive", queuePair.postReceive(receives, 0));
        posted += missing;
    }

    /** Runs all rounds and returns their duration in nanoseconds. */
    long run(boolean begins) {
        long start = System.nanoTime();
        if (begins) {
            postSend();
            awaited |= SENT;
        }
        while (received < iterations || sent < iterations) {
            int count = await();
            for (int i = 0; i < count; i++) {
                handle(i);
            }
        }
        return System.nanoTime() - start;
    }

    private int await() {
        long start = 0;
        for (long polls = 1; ; polls++) {
            int count = queue.poll(completions, completions.capacity());
            if (count > 0) {
                return count;
            }
            if (count < 0) {
                throw new IllegalStateException("polling the completion queue failed: " + Errno.describe(-count));
            }
            if (polls % POLLS_PER_CLOCK_READ == 0) {
                long now = System.nanoTime();
                start = start == 0 ? now : start;
                checkTimeout(now - start);
            }
        }
    }

    private void checkTimeout(long waited) {
        if (waited > LIMIT_NANOS) {
            throw new IllegalStateException("no completion for 30 s after " + sent + " messages sent and " + received
                    + " received: a datagram was lost, or the peer ended; see its output");
        }
    }

    private void handle(int index) {
        int status = completions.status(index);
        int what = (int) completions.wrId(index);
        if (status != CompletionStatus.SUCCESS) {
            throw new IllegalStateException("a " + (what == SENT ? "send" : "receive") + " failed with status "
                    + CompletionStatus.describe(status) + ", vendor error " + completions.vendorError(index));
        }
        if (what == SENT) {
            sent++;
        } else {
            received++;
            posted--;
            if (posted <= 1) {
                postReceives();
            }
        }
        awaited &= ~what;
        if (sent < iterations && awaited == 0) {
            postSend();
            awaited = SENT | RECEIVED;
        }
    }

    private void postSend() {
        check("send", queuePair.postSend(send, 0));
    }

    private void check(String what, int errno) {
        if (errno != 0) {
            throw new IllegalStateException("posting a " + what + " on a queue pair of type " + queuePair.type()
                    + " failed: " + Errno.describe(errno)
                    + (errno == Errno.EOPNOTSUPP ? ". This provider does not support it: use --provider ibverbs" : ""));
        }
    }
}
