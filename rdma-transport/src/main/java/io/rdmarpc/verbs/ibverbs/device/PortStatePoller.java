package io.rdmarpc.verbs.ibverbs.device;

import io.rdmarpc.verbs.AsyncEvent;
import io.rdmarpc.verbs.AsyncEventType;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntPredicate;

/**
 * Makes up for a lost PORT_ACTIVE: a port that was seen down is asked for its state each second, and when it is active
 * again and no event has said so, the event is made here. An event that comes late after all is dropped, so listeners
 * hear of it once. Only the event thread comes here.
 */
public final class PortStatePoller {

    static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);
    static final long NEVER = TimeUnit.DAYS.toNanos(1);

    private final State[] states;
    private final IntPredicate isActive;
    private long nextLook;

    /** What was last heard or seen of a port. */
    private enum State {
        ACTIVE,
        DOWN,
        /** Told by an event made here; the device's own may still come. */
        ACTIVE_TOLD_HERE
    }

    /**
     * Watches a device's ports.
     *
     * @param portCount how many; their numbers begin with 1
     * @param isActive asks the device
     */
    public PortStatePoller(int portCount, IntPredicate isActive) {
        this.states = new State[portCount];
        Arrays.fill(states, State.ACTIVE);
        this.isActive = isActive;
    }

    /** Looks at all ports once. */
    void start() {
        for (int i = 0; i < states.length; i++) {
            states[i] = isActive(i + 1) ? State.ACTIVE : State.DOWN;
        }
        nextLook = System.nanoTime() + LOOK_NANOS;
    }

    /** Takes note of a port's event; true when listeners have heard of it already. */
    boolean isOldNews(AsyncEvent event) {
        int index = event.portNumber() - 1;
        if (index < 0 || index >= states.length) {
            return false;
        }
        boolean old = event.type() == AsyncEventType.PORT_ACTIVE && states[index] == State.ACTIVE_TOLD_HERE;
        if (event.type() == AsyncEventType.PORT_ERR) {
            states[index] = State.DOWN;
            nextLook = System.nanoTime() + LOOK_NANOS;
        } else if (event.type() == AsyncEventType.PORT_ACTIVE) {
            states[index] = State.ACTIVE;
        }
        return old;
    }

    /** How long the thread may sleep. */
    long nanosToNextLook(long now) {
        for (State state : states) {
            if (state == State.DOWN) {
                return Math.max(0, nextLook - now);
            }
        }
        return NEVER;
    }

    /** When it is time, looks at the ports that are down and tells of those that are active again. */
    void tellRecovered(long now, String device, Consumer<AsyncEvent> listener) {
        if (nanosToNextLook(now) > 0) {
            return;
        }
        nextLook = now + LOOK_NANOS;
        for (int i = 0; i < states.length; i++) {
            if (states[i] == State.DOWN && isActive(i + 1)) {
                states[i] = State.ACTIVE_TOLD_HERE;
                listener.accept(AsyncEvent.ofPort(AsyncEventType.PORT_ACTIVE, device, i + 1));
            }
        }
    }

    /** A port that does not answer is not active. */
    private boolean isActive(int portNumber) {
        try {
            return isActive.test(portNumber);
        } catch (RdmaVerbsException e) {
            return false;
        }
    }
}
