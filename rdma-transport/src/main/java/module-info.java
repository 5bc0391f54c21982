/**
 * RDMA without Spring: verbs over libibverbs and the software RNIC, connections by librdmacm, asynchronous operations,
 * registered memory, transports, and the RPC engine.
 */
module io.rdmarpc.transport {
    requires jdk.jfr;
    requires jdk.net;
    requires static org.jspecify;

    exports io.rdmarpc.async;
    exports io.rdmarpc.async.error;
    exports io.rdmarpc.memory;
    exports io.rdmarpc.remote;
    exports io.rdmarpc.remote.lease;
    exports io.rdmarpc.rpc;
    exports io.rdmarpc.rpc.config;
    exports io.rdmarpc.rpc.error;
    exports io.rdmarpc.rpc.message;
    exports io.rdmarpc.rpc.runtime;
    exports io.rdmarpc.rpc.stats;
    exports io.rdmarpc.transport;
    exports io.rdmarpc.verbs;
    exports io.rdmarpc.verbs.attributes;
    exports io.rdmarpc.verbs.cm;
    exports io.rdmarpc.verbs.connect;
    exports io.rdmarpc.verbs.error;
    exports io.rdmarpc.verbs.mr;
    exports io.rdmarpc.verbs.wr;

    uses io.rdmarpc.verbs.VerbsProvider;
    uses io.rdmarpc.verbs.cm.ConnectionManager;

    provides io.rdmarpc.verbs.VerbsProvider with
            io.rdmarpc.verbs.ibverbs.IbverbsProvider,
            io.rdmarpc.verbs.soft.SoftProvider;
    provides io.rdmarpc.verbs.cm.ConnectionManager with
            io.rdmarpc.verbs.ibverbs.cm.RdmaCm;
}
