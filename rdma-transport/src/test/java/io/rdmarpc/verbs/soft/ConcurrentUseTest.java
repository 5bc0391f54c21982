package io.rdmarpc.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.AddressHandle;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.soft.link.fault.LinkFaults;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A control thread creates and closes resources while an engine thread polls and reads. */
@Timeout(120)
class ConcurrentUseTest {

    private static final int LENGTH = 1 << 20;

    @Test
    void shouldKeepReadingWhileAnotherThreadCreatesAndClosesResources() throws Exception {
        try (TestNode reader = TestNode.overUdp(LinkFaults.NONE);
                TestNode target = TestNode.overUdp(LinkFaults.NONE);
                ExecutorService threads = Executors.newFixedThreadPool(2)) {
            // Three busy threads: on a loaded machine the target may not run for a second.
            reader.timeoutExponent = 18;
            QueuePair qp = reader.create(QueuePairType.RC);
            TestNode.connect(reader, qp, target, target.create(QueuePairType.RC));
            MemoryRegion into = reader.register(LENGTH, AccessFlag.LOCAL_WRITE);
            MemoryRegion from = target.register(LENGTH, AccessFlag.REMOTE_READ);
            from.segment().fill((byte) 5);
            AtomicBoolean done = new AtomicBoolean();
            Future<?> targetThread = threads.submit(() -> pollUntil(done, target));
            Future<Integer> controlThread = threads.submit(() -> churnUntil(done, reader, target));
            try {
                for (int i = 0; i < 200; i++) {
                    into.segment().fill((byte) 0);
                    reader.read(qp, i, into, 0, LENGTH, from.address(), from.rkey());
                    TestNode.Completion completion = reader.next();
                    while (completion == null) {
                        Thread.onSpinWait();
                        completion = reader.next();
                    }
                    assertThat(completion.status()).isZero();
                    assertThat(into.segment().mismatch(from.segment())).isEqualTo(-1);
                }
            } finally {
                done.set(true);
            }
            targetThread.get();
            assertThat(controlThread.get()).isPositive();
        }
    }

    private static void pollUntil(AtomicBoolean done, TestNode node) {
        while (!done.get()) {
            node.progress();
        }
    }

    private static int churnUntil(AtomicBoolean done, TestNode... nodes) {
        int rounds = 0;
        while (!done.get()) {
            for (TestNode node : nodes) {
                MemoryRegion region = node.register(4096, AccessFlag.REMOTE_READ);
                AddressHandle handle = node.handleTo(nodes[0]);
                QueuePair datagrams = node.datagrams();
                QueuePair connection = node.create(QueuePairType.RC, 4);
                connection.close();
                datagrams.close();
                handle.close();
                region.close();
                rounds++;
            }
        }
        return rounds;
    }
}
