package io.rdmarpc.verbs.soft.ud;

import io.rdmarpc.verbs.soft.link.ShmPathListener;
import io.rdmarpc.verbs.soft.link.ShmPathReader;
import io.rdmarpc.verbs.soft.qp.QueuePairTable;
import java.util.ArrayList;
import java.util.List;

/** The queue pairs that read shared-memory paths. Used under the RNIC's lock. */
public final class ShmChannelTable implements ShmPathListener {

    private final QueuePairTable queuePairs;
    private final List<UdQueuePair> users = new ArrayList<>();

    public ShmChannelTable(QueuePairTable queuePairs) {
        this.queuePairs = queuePairs;
    }

    @Override
    public boolean take(int queuePair, ShmPathReader path) {
        if (!(queuePairs.find(queuePair) instanceof UdQueuePair qp) || !qp.addPath(path)) {
            return false;
        }
        if (!users.contains(qp)) {
            users.add(qp);
        }
        return true;
    }

    @Override
    public void lose(ShmPathReader path) {
        for (UdQueuePair qp : users) {
            qp.losePath(path);
        }
    }

    public void remove(UdQueuePair qp) {
        users.remove(qp);
    }

    @Override
    public boolean isAwaited() {
        for (int i = 0; i < users.size(); i++) {
            if (users.get(i).awaitsShmDatagram()) {
                return true;
            }
        }
        return false;
    }

    /** Notifies the armed completion queues of queue pairs whose paths have packets. */
    public void notifyWaiters() {
        for (int i = 0; i < users.size(); i++) {
            if (users.get(i).awaitsShmDatagram()) {
                users.get(i).notifyOfShmDatagram();
            }
        }
    }
}
