package io.rdmarpc.verbs.suite;

/** Sizes of messages with different divisions into packets. */
enum Size {
    NOTHING,
    ONE,
    MTU_LESS_ONE,
    MTU,
    MTU_AND_ONE,
    KIB_64,
    MIB;

    int bytes(int mtu) {
        return switch (this) {
            case NOTHING -> 0;
            case ONE -> 1;
            case MTU_LESS_ONE -> mtu - 1;
            case MTU -> mtu;
            case MTU_AND_ONE -> mtu + 1;
            case KIB_64 -> 1 << 16;
            case MIB -> 1 << 20;
        };
    }
}
