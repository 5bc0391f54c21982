package io.rdmarpc.verbs.soft.link.fault;

import io.rdmarpc.verbs.AsyncEventType;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What happens to certain packets, told by their kind and number. Written as text:
 *
 * <pre>
 *   drop 3 ACK; duplicate 1 READ_RESPONSE; delay 2 SEND 5ms; corrupt 4-6 any; port_err 20 UD
 *
 *   script = step { ";" step }
 *   step   = action number[-number] kind [time]      numbers count the sent packets of that kind from 1
 *   action = drop | duplicate | reorder | delay | corrupt
 *          | qp_fatal | port_err | port_active | device_fatal      the packet passes, then the own device tells of this
 *   kind   = any | UD | SEND | WRITE | READ | READ_RESPONSE | ATOMIC | ATOMIC_RESPONSE | ACK | NAK | RNR
 *   time   = number (us | ms | s)                    of a delay; else the delay time of the faults
 * </pre>
 *
 * @param steps all of them; the first that fits a packet decides
 */
public record FaultScript(List<Step> steps) {

    /** Nothing happens. */
    public static final FaultScript NONE = new FaultScript(List.of());

    /**
     * Copies the steps.
     *
     * @param steps all of them
     */
    public FaultScript {
        steps = List.copyOf(steps);
    }

    /** What is done to a packet. */
    enum Action {
        /** It is lost. */
        DROP,
        /** It is sent twice. */
        DUPLICATE,
        /** The next one overtakes it. */
        REORDER,
        /** It waits for a time. */
        DELAY,
        /** One bit of it changes. */
        CORRUPT,
        /** Its queue pair fails. */
        QP_FATAL(AsyncEventType.QP_FATAL),
        /** The port goes down. */
        PORT_ERR(AsyncEventType.PORT_ERR),
        /** The port comes back. */
        PORT_ACTIVE(AsyncEventType.PORT_ACTIVE),
        /** The device fails. */
        DEVICE_FATAL(AsyncEventType.DEVICE_FATAL);

        private final @Nullable AsyncEventType event;

        Action() {
            this(null);
        }

        Action(@Nullable AsyncEventType event) {
            this.event = event;
        }

        /** What the device tells, null when the network is to blame. */
        @Nullable
        AsyncEventType event() {
            return event;
        }

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * One step.
     *
     * @param action what is done
     * @param first number of the first packet that it is done to, from 1
     * @param last number of the last one
     * @param kind which packets are counted
     * @param delayNanos how long a delayed one waits, negative for the delay time of the faults
     */
    record Step(Action action, long first, long last, PacketKind kind, long delayNanos) {

        /** The delay time of the faults. */
        static final long USUAL_DELAY = -1;

        boolean hits(long number) {
            return number >= first && number <= last;
        }
    }

    /**
     * Reads a script.
     *
     * @param setting what it is called, for the failure
     * @param text the script
     * @return the script
     * @throws io.rdmarpc.verbs.error.RdmaConfigurationException when it cannot be understood; tells where and what could stand there
     */
    public static FaultScript parse(String setting, String text) {
        return new FaultScriptParser(setting, text).parse();
    }

    /** Returns the same without changed bits. */
    FaultScript withoutCorruption() {
        return new FaultScript(
                steps.stream().filter(step -> step.action() != Action.CORRUPT).toList());
    }

    boolean corrupts() {
        return steps.stream().anyMatch(step -> step.action() == Action.CORRUPT);
    }
}
