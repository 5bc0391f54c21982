package io.rdmarpc.service.contract.check;

/**
 * The order in which a team upgrades the processes of a service. It decides which changes of a contract are acceptable
 * without approval.
 */
public enum UpgradeOrder {

    /** All servers before any client: clients of the old release must be able to call servers of the new one. */
    SERVERS_FIRST,

    /** All clients before any server: clients of the new release must be able to call servers of the old one. */
    CLIENTS_FIRST,

    /** Any order: clients and servers of both releases must be able to call each other. */
    ANY;

    boolean accepts(Impact impact) {
        return switch (impact) {
            case NONE, COMPATIBLE -> true;
            case SERVERS_FIRST -> this == SERVERS_FIRST;
            case CLIENTS_FIRST -> this == CLIENTS_FIRST;
            case INCOMPATIBLE, NOT_STORED -> false;
        };
    }
}
