/** The annotations of a service contract, without dependencies. */
module io.rdmarpc.annotation {
    requires static org.jspecify;

    exports io.rdmarpc.annotation;
}
