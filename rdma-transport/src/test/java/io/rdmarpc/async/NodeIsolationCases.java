package io.rdmarpc.async;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdmarpc.async.error.RdmaOperationException;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.wr.CompletionStatus;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A node's protection domain protects its memory from the peers of other nodes, for every provider and link. */
abstract class NodeIsolationCases {

    private static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final RdmaNode owner;
    private final RdmaNode other;
    private final RdmaNode first;
    private final RdmaNode second;

    NodeIsolationCases(RdmaNodeConfig config) {
        owner = RdmaNode.open(config);
        other = RdmaNode.open(config);
        first = RdmaNode.open(config);
        second = RdmaNode.open(config);
    }

    @AfterEach
    void closeNodes() {
        second.close();
        first.close();
        other.close();
        owner.close();
    }

    private static <T> T resultOf(CompletableFuture<T> future) {
        return future.copy().orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
    }

    private static int statusOf(CompletableFuture<?> future) {
        Throwable cause = catchThrowableOfType(CompletionException.class, () -> resultOf(future))
                .getCause();
        assertThat(cause).isInstanceOf(RdmaOperationException.class);
        return ((RdmaOperationException) cause).status();
    }

    @Test
    @DisplayName("rejects READ, WRITE and atomics of another node's peer, even with the right key and address")
    void whenPeerOfAnotherNodeHasKeyAndAddressThenItIsRejected() {
        LocalSlice memory = owner.allocate(
                        64, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_ATOMIC)
                .slice();
        memory.put(new byte[] {1, 2, 3});
        byte[] before = memory.toBytes();
        RemoteMemoryRange stolen = RemoteMemoryRange.decode(memory.remote().encode());
        LocalSlice buffer = second.allocate(64).slice();
        byte[] nothing = buffer.toBytes();
        RdmaListener ownerListener = owner.listen(ANY);
        RdmaListener otherListener = other.listen(ANY);
        RdmaConnection rightful = first.connect(ownerListener.address());

        assertThat(statusOf(second.connect(otherListener.address()).read(buffer, stolen)))
                .isEqualTo(CompletionStatus.REM_ACCESS_ERR);
        assertThat(statusOf(second.connect(otherListener.address()).write(buffer, stolen)))
                .isEqualTo(CompletionStatus.REM_ACCESS_ERR);
        assertThat(statusOf(second.connect(otherListener.address()).fetchAndAdd(stolen.slice(0, 8), 1)))
                .isEqualTo(CompletionStatus.REM_ACCESS_ERR);

        assertThat(buffer.toBytes()).as("bytes that the second peer read").isEqualTo(nothing);
        LocalSlice mine = first.allocate(64).slice();
        resultOf(rightful.read(mine, stolen));
        assertThat(mine.toBytes()).as("bytes that the first peer reads").isEqualTo(before);
    }
}
