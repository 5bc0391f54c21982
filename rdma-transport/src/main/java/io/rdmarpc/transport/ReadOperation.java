package io.rdmarpc.transport;

import io.rdmarpc.verbs.wr.CompletionStatus;

/**
 * One READ of any length, executed as fragments that the port can carry. It ends once every posted fragment has
 * completed, so that the NIC holds no reference to its memory afterwards.
 */
final class ReadOperation {

    final RcConnection connection;
    /** The connection's queue at the time the READ began. */
    final ReadQueue queue;

    final long localAddress;
    final int lkey;
    final long remoteAddress;
    final int rkey;
    final int lengthBytes;
    final ReadHandler handler;
    int postedBytes;
    int fragmentsInFlight;
    int status = CompletionStatus.SUCCESS;

    ReadOperation(
            RcConnection connection,
            long localAddress,
            int lkey,
            long remoteAddress,
            int rkey,
            int lengthBytes,
            ReadHandler handler) {
        this.connection = connection;
        this.queue = connection.queue;
        this.localAddress = localAddress;
        this.lkey = lkey;
        this.remoteAddress = remoteAddress;
        this.rkey = rkey;
        this.lengthBytes = lengthBytes;
        this.handler = handler;
    }

    boolean hasMoreToPost() {
        return status == CompletionStatus.SUCCESS && postedBytes < lengthBytes;
    }

    boolean hasEnded() {
        return fragmentsInFlight == 0 && !hasMoreToPost();
    }

    void fail(int failure) {
        if (status == CompletionStatus.SUCCESS) {
            status = failure;
        }
    }
}
