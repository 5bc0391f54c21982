package io.rdmarpc.verbs.attributes;

/**
 * The physical link of a port.
 *
 * @param state the physical state
 * @param widthCode number of lanes as a code: 1, 2, 4, 8, 16 for 1, 4, 8, 12, 2
 * @param speedCode speed of a lane as a code: 1, 2, 4, 8, 16, 32, 64, 128 for 2.5, 5, 10, 10, 14, 25, 50, 100 Gbit/s
 */
public record PortLink(PhysicalState state, int widthCode, int speedCode) {

    /** The states of a link (InfiniBand Architecture Specification vol. 1, PortInfo.PortPhysicalState). */
    public enum PhysicalState {
        /** Unknown, or no change of state. */
        NO_CHANGE(0),
        /** The link is asleep. */
        SLEEP(1),
        /** The port searches for a link partner. */
        POLLING(2),
        /** The port is disabled. */
        DISABLED(3),
        /** The port and its partner negotiate the link. */
        TRAINING(4),
        /** The link is up. */
        LINK_UP(5),
        /** The port recovers from a link error. */
        LINK_ERROR_RECOVERY(6),
        /** A test runs. */
        PHY_TEST(7);

        private static final PhysicalState[] BY_CODE = values();

        private final int code;

        PhysicalState(int code) {
            this.code = code;
        }

        /**
         * Returns the C value.
         *
         * @return the specification's value
         */
        public int code() {
            return code;
        }

        /**
         * Finds the constant of a value; the constants are declared in the order of their values.
         *
         * @param code the value
         * @return the constant, the first one for an unknown value
         */
        public static PhysicalState of(int code) {
            return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : BY_CODE[0];
        }
    }

    /**
     * Returns the number of lanes.
     *
     * @return 1, 2, 4, 8 or 12; 0 if the code is unknown
     */
    public int lanes() {
        return switch (widthCode) {
            case 1 -> 1;
            case 2 -> 4;
            case 4 -> 8;
            case 8 -> 12;
            case 16 -> 2;
            default -> 0;
        };
    }

    /**
     * Returns the speed of one lane.
     *
     * @return Gbit/s; 0 if the code is unknown
     */
    public double gigabitsPerLane() {
        return switch (speedCode) {
            case 1 -> 2.5;
            case 2 -> 5;
            case 4, 8 -> 10;
            case 16 -> 14;
            case 32 -> 25;
            case 64 -> 50;
            case 128 -> 100;
            default -> 0;
        };
    }

    /**
     * Returns the speed of all lanes.
     *
     * @return Gbit/s; 0 if it is unknown
     */
    public double gigabitsPerSecond() {
        return lanes() * gigabitsPerLane();
    }
}
