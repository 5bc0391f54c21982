package io.rdmarpc.service.client.routing;

import io.rdmarpc.service.concurrent.PaddedIntegers;
import io.rdmarpc.service.concurrent.Stripes;
import org.jspecify.annotations.Nullable;

/** Selects the instance of a call. Thread-safe, lock-free, without allocation. */
abstract sealed class Choice {

    /** Threads count by themselves, except those with the same stripe. */
    private final PaddedIntegers counters = new PaddedIntegers(Stripes.COUNT);

    static Choice of(BalancingPolicy policy) {
        return switch (policy) {
            case ROUND_ROBIN -> new RoundRobin();
            case LEAST_IN_FLIGHT -> new LeastInFlight();
            case STICKY -> new Sticky();
        };
    }

    /** Returns the index of a session, which need not be ready. There is at least one session. */
    abstract int choose(AvailableMembers members, InstanceSessions[] sessions, @Nullable Object key);

    /** Returns the indices in turn to each thread. Threads begin at different indices. */
    final int nextIndex(int count) {
        if (count == 1) {
            return 0;
        }
        int stripe = Stripes.ofThread();
        return Math.floorMod(stripe + counters.addAndGet(stripe, 1), count);
    }

    private static final class RoundRobin extends Choice {

        @Override
        int choose(AvailableMembers members, InstanceSessions[] sessions, @Nullable Object key) {
            return nextIndex(sessions.length);
        }
    }

    private static final class LeastInFlight extends Choice {

        /**
         * Maximum candidates. Eight suffice to avoid busy instances, and limit the cost with hundreds of instances.
         */
        private static final int MAX_CANDIDATES = 8;

        @Override
        int choose(AvailableMembers members, InstanceSessions[] sessions, @Nullable Object key) {
            int first = nextIndex(sessions.length);
            int best = first;
            int fewest = Integer.MAX_VALUE;
            for (int i = 0; i < Math.min(MAX_CANDIDATES, sessions.length) && fewest > 0; i++) {
                int index = (first + i) % sessions.length;
                int calls = sessions[index].callsInFlight();
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
        int choose(AvailableMembers members, InstanceSessions[] sessions, @Nullable Object key) {
            return key == null ? nextIndex(sessions.length) : members.ownerOf(key);
        }
    }
}
