package io.rdmarpc.service.contract.check;

/** The impact of a changed contract on processes of the old and the new release. */
public enum Impact {

    /** The contract is equal to the stored one. */
    NONE,

    /** Clients and servers of both releases can call each other. */
    COMPATIBLE,

    /** New clients cannot call old servers, so servers must be upgraded first. */
    SERVERS_FIRST,

    /** Old clients cannot call new servers, so clients must be upgraded first. */
    CLIENTS_FIRST,

    /** Neither release can call the other. */
    INCOMPATIBLE,

    /** No contract of the service is stored. */
    NOT_STORED
}
