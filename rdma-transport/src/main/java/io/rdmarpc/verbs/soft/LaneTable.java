package io.rdmarpc.verbs.soft;

import io.rdmarpc.verbs.soft.link.LaneReader;
import io.rdmarpc.verbs.soft.link.LaneTaker;
import java.util.ArrayList;
import java.util.List;

/** The queue pairs that read lanes. Under the lock. */
final class LaneTable implements LaneTaker {

    private final QueuePairTable queuePairs;
    private final List<UdQueuePair> users = new ArrayList<>();

    LaneTable(QueuePairTable queuePairs) {
        this.queuePairs = queuePairs;
    }

    @Override
    public boolean take(int queuePair, LaneReader lane) {
        if (!(queuePairs.find(queuePair) instanceof UdQueuePair qp) || !qp.addLane(lane)) {
            return false;
        }
        if (!users.contains(qp)) {
            users.add(qp);
        }
        return true;
    }

    @Override
    public void lose(LaneReader lane) {
        for (UdQueuePair qp : users) {
            qp.loseLane(lane);
        }
    }

    void remove(UdQueuePair qp) {
        users.remove(qp);
    }

    @Override
    public boolean isAwaited() {
        for (int i = 0; i < users.size(); i++) {
            if (users.get(i).awaitsLanes()) {
                return true;
            }
        }
        return false;
    }

    /** Tells those who wait for packets that are in lanes. */
    void tell() {
        for (int i = 0; i < users.size(); i++) {
            if (users.get(i).awaitsLanes()) {
                users.get(i).tellOfLanes();
            }
        }
    }
}
