package io.rdmarpc.verbs.attributes;

/** The migration state of a connection with an alternate path ({@code enum ibv_mig_state}). Not tested on hardware. */
public enum PathMigrationState {
    /** The connection stays on its current path. */
    MIGRATED(0),
    /** The connection has an alternate path and waits until the peer has one. */
    REARM(1),
    /** Either end may move to the alternate path. */
    ARMED(2);

    private static final PathMigrationState[] BY_CODE = values();

    private final int code;

    PathMigrationState(int code) {
        this.code = code;
    }

    /**
     * Returns the C value.
     *
     * @return the {@code IBV_MIG_*} value
     */
    public int code() {
        return code;
    }

    /**
     * Finds the state of a C value.
     *
     * @param code an {@code IBV_MIG_*} value
     * @return the state, {@link #MIGRATED} for an unknown value
     */
    public static PathMigrationState of(int code) {
        return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : MIGRATED;
    }
}
