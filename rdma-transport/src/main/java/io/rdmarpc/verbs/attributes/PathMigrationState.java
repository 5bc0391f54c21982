package io.rdmarpc.verbs.attributes;

/** Where a connection with an alternate path stands ({@code enum ibv_mig_state}; not verified on hardware). */
public enum PathMigrationState {
    /** It uses its present path, and stays there. */
    MIGRATED(0),
    /** It has an alternate path and waits for the peer to have one too. */
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
     * @return the state, {@link #MIGRATED} for a value this version does not know
     */
    public static PathMigrationState of(int code) {
        return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : MIGRATED;
    }
}
