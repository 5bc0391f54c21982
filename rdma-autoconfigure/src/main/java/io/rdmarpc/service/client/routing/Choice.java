package io.rdmarpc.service.client.routing;

import io.rdmarpc.rpc.RpcSession;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Decides which instance a call goes to. Any thread; no lock, no allocation. */
abstract sealed class Choice {

    private final AtomicInteger turns = new AtomicInteger();

    static Choice of(BalancingPolicy policy) {
        return switch (policy) {
            case ROUND_ROBIN -> new RoundRobin();
            case LEAST_IN_FLIGHT -> new LeastInFlight();
            case STICKY -> new Sticky();
        };
    }

    /** The index of a session, which may turn out not to be ready; there is at least one. */
    abstract int choose(AvailableMembers members, VerifiedSession[] sessions, @Nullable Object key);

    final int nextTurn(int count) {
        return Math.floorMod(turns.getAndIncrement(), count);
    }

    private static final class RoundRobin extends Choice {

        @Override
        int choose(AvailableMembers members, VerifiedSession[] sessions, @Nullable Object key) {
            return nextTurn(sessions.length);
        }
    }

    private static final class LeastInFlight extends Choice {

        /** Enough to avoid the busy ones, and bounded where there are hundreds. */
        private static final int LOOKED_AT = 8;

        @Override
        int choose(AvailableMembers members, VerifiedSession[] sessions, @Nullable Object key) {
            int first = nextTurn(sessions.length);
            int best = first;
            int fewest = Integer.MAX_VALUE;
            for (int i = 0; i < Math.min(LOOKED_AT, sessions.length) && fewest > 0; i++) {
                int index = (first + i) % sessions.length;
                RpcSession session = sessions[index].ready();
                int calls = session == null ? Integer.MAX_VALUE : session.callsInFlight();
                if (calls < fewest) {
                    fewest = calls;
                    best = index;
                }
            }
            return best;
        }
    }

    private static final class Sticky extends Choice {

        @Override
        int choose(AvailableMembers members, VerifiedSession[] sessions, @Nullable Object key) {
            return key == null ? nextTurn(sessions.length) : members.ownerOf(key);
        }
    }
}
