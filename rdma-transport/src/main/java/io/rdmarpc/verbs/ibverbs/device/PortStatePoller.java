package io.rdmarpc.verbs.ibverbs.device;

import io.rdmarpc.verbs.AsyncEvent;
import io.rdmarpc.verbs.AsyncEventType;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntPredicate;

/**
 * Creates PORT_ACTIVE events that the device does not deliver. While a port is down, its state is queried once a
 * second. If the port is active again without an event, this class creates the event. A late event of the device is
 * then dropped, so that listeners receive one event. Used by the event thread only.
 */
public final class PortStatePoller {

    static final long POLL_NANOS = TimeUnit.SECONDS.toNanos(1);
    static final long NEVER = TimeUnit.DAYS.toNanos(1);

    private final State[] states;
    private final IntPredicate isActive;
    private long nextPoll;

    /** The last known state of a port. */
    private enum State {
        ACTIVE,
        DOWN,
        /** Active, and reported by an event of this class; the device's event may still arrive. */
        ACTIVE_REPORTED_HERE
    }

    /**
     * Creates a poller for a device's ports.
     *
     * @param portCount number of ports; the first is 1
     * @param isActive queries the device
     */
    public PortStatePoller(int portCount, IntPredicate isActive) {
        this.states = new State[portCount];
        Arrays.fill(states, State.ACTIVE);
        this.isActive = isActive;
    }

    /** Queries all ports once. */
    void start() {
        for (int i = 0; i < states.length; i++) {
            states[i] = isActive(i + 1) ? State.ACTIVE : State.DOWN;
        }
        nextPoll = System.nanoTime() + POLL_NANOS;
    }

    /** Records a port's event; returns true if listeners have already received it. */
    boolean isDuplicate(AsyncEvent event) {
        int index = event.portNumber() - 1;
        if (index < 0 || index >= states.length) {
            return false;
        }
        boolean duplicate = event.type() == AsyncEventType.PORT_ACTIVE && states[index] == State.ACTIVE_REPORTED_HERE;
        if (event.type() == AsyncEventType.PORT_ERR) {
            states[index] = State.DOWN;
            nextPoll = System.nanoTime() + POLL_NANOS;
        } else if (event.type() == AsyncEventType.PORT_ACTIVE) {
            states[index] = State.ACTIVE;
        }
        return duplicate;
    }

    /** Returns the maximum sleep time of the event thread. */
    long nanosToNextPoll(long now) {
        for (State state : states) {
            if (state == State.DOWN) {
                return Math.max(0, nextPoll - now);
            }
        }
        return NEVER;
    }

    /**
     * Queries the ports that are down if the interval has passed, and delivers an event for each that is active again.
     */
    void deliverRecovered(long now, String device, Consumer<AsyncEvent> listener) {
        if (nanosToNextPoll(now) > 0) {
            return;
        }
        nextPoll = now + POLL_NANOS;
        for (int i = 0; i < states.length; i++) {
            if (states[i] == State.DOWN && isActive(i + 1)) {
                states[i] = State.ACTIVE_REPORTED_HERE;
                listener.accept(AsyncEvent.ofPort(AsyncEventType.PORT_ACTIVE, device, i + 1));
            }
        }
    }

    /** Returns whether a port is active; a failed query counts as inactive. */
    private boolean isActive(int portNumber) {
        try {
            return isActive.test(portNumber);
        } catch (RdmaVerbsException e) {
            return false;
        }
    }
}
