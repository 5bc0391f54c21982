package io.rdmarpc.async;

import io.rdmarpc.verbs.attributes.AccessFlag;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/** The examples of docs/how-to/use-verbs.md, verbatim. */
final class AsyncExample {

    private AsyncExample() {}

    static String readHello(RdmaNodeConfig config) throws Exception {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        // One side: a node, memory that peers may read, a listener.
        try (RdmaNode server = RdmaNode.open(config);
                LocalRegion offered = server.allocate(4096, AccessFlag.REMOTE_READ);
                RdmaListener listener = server.listen(any)) {
            offered.slice().put("hello".getBytes(StandardCharsets.UTF_8));
            byte[] ticket = offered.slice(0, 5).remote().encode(); // send this to the peer by your own means

            // The other side, usually on another host. It reads without action by the first side.
            try (RdmaNode client = RdmaNode.open(config);
                    LocalRegion mine = client.allocate(4096);
                    RdmaConnection connection = client.connect(listener.address())) {
                RemoteMemoryRange theirs = RemoteMemoryRange.decode(ticket);
                return connection
                        .read(mine.slice(0, theirs.length()), theirs)
                        .thenApply(done -> new String(mine.slice(0, 5).toBytes(), StandardCharsets.UTF_8))
                        .get();
            }
        }
    }

    static long allOperations(RdmaConnection here, RdmaConnection there, RdmaNode node, LocalRegion shared)
            throws Exception {
        try (LocalRegion mine = node.allocate(4096)) {
            var received = there.receive(shared.slice(0, 1024));
            here.sendWithImmediate(mine.slice(0, 16), 42).get(); // done when the peer's device has it
            received.get().immediate(); // 42

            RemoteMemoryRange word = shared.slice(1024, 8).remote();
            here.write(mine.slice(0, 8), word).get();
            here.compareAndSwap(word, 0, 7).get(); // the original value
            return here.fetchAndAdd(word, 1).get(); // 7
        }
    }
}
