package io.rdmarpc.transport;

import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.ipc.IpcQueuePair;
import io.rdmarpc.verbs.wr.CompletionStatus;
import io.rdmarpc.verbs.wr.SendFlags;
import io.rdmarpc.verbs.wr.SendOpcode;
import io.rdmarpc.verbs.wr.SendRequests;
import io.rdmarpc.verbs.wr.WorkCompletions;
import java.lang.foreign.Arena;

/**
 * The send side of a UD queue pair: postlists with selective signaling. Sends are numbered 1, 2, 3... The last send of
 * each postlist is signaled, with its number as wr_id. A queue completes in order. One completion therefore covers all
 * numbers up to its own, and the NIC no longer uses the memory of these sends. If the queue pair {@linkplain
 * IpcQueuePair#reportsSendProgress reports} its progress, this class queries it instead. No send is signaled then, and
 * only failures complete.
 *
 * <pre>
 *   number        1 .. c          c+1 .. p              p+1 .. n
 *            complete (memory   posted, at the NIC   in the postlist,
 *              is free)                               posted at flush
 * </pre>
 *
 * Engine thread only.
 */
final class DatagramSendQueue {

    private final QueuePair qp;
    private final IpcQueuePair progress;
    private final boolean reported;

    private final CompletionQueue cq;
    private final int depth;
    private final int postlist;
    private final int pollBatch;
    private final int maxInlineBytes;
    private final SendRequests requests;
    private final WorkCompletions completions;
    private long lastNumber;
    private long postedNumber;
    private long completedNumber;
    private int pending;
    private long failures;
    private long failedCompletions;

    DatagramSendQueue(
            QueuePair qp, IpcQueuePair progress, CompletionQueue cq, UdConfig config, int maxInlineBytes, Arena arena) {
        this.qp = qp;
        this.progress = progress;
        this.reported = progress.reportsSendProgress();
        this.cq = cq;
        this.depth = config.sendDepth();
        this.postlist = config.postBatch();
        this.pollBatch = config.pollBatch();
        this.maxInlineBytes = maxInlineBytes;
        this.requests = SendRequests.allocate(arena, postlist, 1);
        this.completions = WorkCompletions.allocate(arena, pollBatch);
    }

    /**
     * Adds a datagram to the postlist. Returns false if the queue is full. The caller then retries after completions.
     */
    boolean send(long addressHandle, int qpn, int qkey, long address, int length, int lkey) {
        if (lastNumber - completedNumber >= depth || (pending == postlist && !flush())) {
            return false;
        }
        int index = pending++;
        int flags = length <= maxInlineBytes ? SendFlags.INLINE : 0;
        requests.set(index, ++lastNumber, SendOpcode.SEND, flags, 1);
        requests.setSge(index, 0, address, length, lkey);
        requests.setDatagram(index, addressHandle, qpn, qkey);
        return true;
    }

    /** Posts the postlist. Returns false if a part of it waits for room in the queue. */
    boolean flush() {
        if (pending == 0) {
            return true;
        }
        if (!reported) {
            int last = pending - 1;
            requests.set(last, requests.wrId(last), SendOpcode.SEND, requests.flags(last) | SendFlags.SIGNALED, 1);
        }
        requests.chain(0, pending);
        int errno = qp.postSend(requests, 0);
        if (errno == 0) {
            postedNumber = lastNumber;
            pending = 0;
            detectSentSends();
            return true;
        }
        keepUnposted(errno);
        return false;
    }

    /**
     * Keeps the unposted rest for the next flush if the queue is full. After any other error the datagram counts as
     * sent and lost, as UD allows.
     */
    private void keepUnposted(int errno) {
        int posted = Math.max(0, requests.badIndex());
        if (errno == Errno.ENOMEM || errno == Errno.EAGAIN) {
            moveToFront(posted);
            return;
        }
        failures++;
        moveToFront(Math.min(pending, posted + 1));
    }

    private void moveToFront(int from) {
        int rest = pending - from;
        for (int i = 0; i < rest; i++) {
            int source = from + i;
            requests.set(i, requests.wrId(source), SendOpcode.SEND, requests.flags(source), 1);
            requests.setSge(
                    i, 0, requests.sgeAddress(source, 0), requests.sgeLength(source, 0), requests.sgeLkey(source, 0));
            requests.setDatagram(
                    i, requests.addressHandle(source), requests.remoteQpn(source), requests.remoteQkey(source));
        }
        pending = rest;
        postedNumber = lastNumber - rest;
    }

    private void detectSentSends() {
        if (needsPolling() && progress.hasSentAll()) {
            completedNumber = postedNumber;
        }
    }

    /** Returns whether posted sends may complete without a completion event, so that the caller has to poll. */
    boolean needsPolling() {
        return reported && postedNumber != completedNumber;
    }

    /** Processes all available send completions, and returns their number. */
    int poll() {
        detectSentSends();
        int processed = 0;
        int count = pollBatch;
        while (count == pollBatch && postedNumber != completedNumber) {
            count = Math.max(0, cq.poll(completions, pollBatch));
            complete(count);
            processed += count;
        }
        return processed;
    }

    private void complete(int count) {
        for (int i = 0; i < count; i++) {
            if (completions.status(i) != CompletionStatus.SUCCESS) {
                failures++;
                failedCompletions++;
            }
            completedNumber = Math.max(completedNumber, completions.wrId(i));
        }
    }

    /**
     * Discards all sends after the queue pair was reset. The NIC holds no earlier send, and earlier completions have no
     * meaning.
     */
    void restart() {
        while (cq.poll(completions, pollBatch) > 0) {
            // Drop the completions.
        }
        pending = 0;
        postedNumber = lastNumber;
        completedNumber = lastNumber;
        failedCompletions = 0;
    }

    /**
     * Returns the number of sends that completed with an error. A datagram queue pair executes no further send after
     * such an error.
     */
    long failedCompletions() {
        return failedCompletions;
    }

    long lastNumber() {
        return lastNumber;
    }

    long completedNumber() {
        return completedNumber;
    }

    long failures() {
        return failures;
    }
}
