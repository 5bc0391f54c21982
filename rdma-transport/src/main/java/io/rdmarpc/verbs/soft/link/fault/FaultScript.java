package io.rdmarpc.verbs.soft.link.fault;

import io.rdmarpc.verbs.AsyncEventType;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Faults for particular packets, selected by their kind and number. The text format:
 *
 * <pre>
 *   drop 3 ACK; duplicate 1 READ_RESPONSE; delay 2 SEND 5ms; corrupt 4-6 any; port_err 20 UD
 *
 *   script = step { ";" step }
 *   step   = action number[-number] kind [time]      numbers count the sent packets of that kind from 1
 *   action = drop | duplicate | reorder | delay | corrupt
 *          | qp_fatal | port_err | port_active | device_fatal      sends the packet, then reports this event
 *   kind   = any | UD | SEND | WRITE | READ | READ_RESPONSE | ATOMIC | ATOMIC_RESPONSE | ACK | NAK | RNR
 *   time   = number (us | ms | s)                    of a delay; default: the delay time of the faults
 * </pre>
 *
 * @param steps the steps; the first one that matches a packet is applied
 */
public record FaultScript(List<Step> steps) {

    /** The empty script. */
    public static final FaultScript NONE = new FaultScript(List.of());

    /**
     * Copies the steps.
     *
     * @param steps the steps
     */
    public FaultScript {
        steps = List.copyOf(steps);
    }

    /** The fault to apply to a packet. */
    enum Action {
        /** The packet is dropped. */
        DROP,
        /** The packet is sent twice. */
        DUPLICATE,
        /** The next packet overtakes it. */
        REORDER,
        /** The packet is delayed. */
        DELAY,
        /** One bit of the packet is flipped. */
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

        /** Returns the event that the device reports, or null for faults of the network. */
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
     * @param action the fault
     * @param first number of the first affected packet, from 1
     * @param last number of the last affected packet
     * @param kind the kind of packets that are counted
     * @param delayNanos the delay in nanoseconds, negative for the delay time of the faults
     */
    record Step(Action action, long first, long last, PacketKind kind, long delayNanos) {

        /** Selects the delay time of the faults. */
        static final long USUAL_DELAY = -1;

        boolean hits(long number) {
            return number >= first && number <= last;
        }
    }

    /**
     * Parses a script.
     *
     * @param setting name of the setting, for the error message
     * @param text the text of the script
     * @return the parsed script
     * @throws io.rdmarpc.verbs.error.RdmaConfigurationException if the text is invalid; the message has the position
     * and the expected words
     */
    public static FaultScript parse(String setting, String text) {
        return new FaultScriptParser(setting, text).parse();
    }

    /** Returns a copy without corruption. */
    FaultScript withoutCorruption() {
        return new FaultScript(
                steps.stream().filter(step -> step.action() != Action.CORRUPT).toList());
    }

    boolean corrupts() {
        return steps.stream().anyMatch(step -> step.action() == Action.CORRUPT);
    }
}
