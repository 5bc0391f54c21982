package io.rdmarpc.remote.notification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.remote.lender.LentRegion;
import io.rdmarpc.verbs.AddressHandle;
import io.rdmarpc.verbs.CompletionChannel;
import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.ProtectionDomain;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.QueuePairConfig;
import io.rdmarpc.verbs.RdmaContext;
import io.rdmarpc.verbs.SharedReceiveQueue;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.AddressHandleAttributes;
import io.rdmarpc.verbs.attributes.DeviceAttributes;
import io.rdmarpc.verbs.attributes.GidEntry;
import io.rdmarpc.verbs.attributes.PortAttributes;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.wr.CompletionStatus;
import io.rdmarpc.verbs.wr.ReceiveRequests;
import io.rdmarpc.verbs.wr.WorkCompletions;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A notification queue whose device fails")
class NotificationQueueTest {

    private final Device device = new Device();

    private NotificationQueue open() {
        return new NotificationQueue(device, device, new SilentChannel());
    }

    private static void assertFails(String verb, Runnable task) {
        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(task::run)
                .satisfies(failure -> assertThat(failure.verb()).isEqualTo(verb));
    }

    @Test
    void whenItCannotBeCreatedThenItsResourcesAreFreed() {
        device.makesCompletions = false;
        assertFails("ibv_create_cq", this::open);
        assertThat(device.open).isEmpty();
    }

    @Test
    void whenReceivesCannotBePostedThenItsResourcesAreFreed() {
        device.receiveError = Errno.ENOMEM;
        assertFails("ibv_post_srq_recv", this::open);
        assertThat(device.open).isEmpty();
    }

    @Test
    void whenCompletionsAreLostThenPollThrows() {
        NotificationQueue queue = open();
        device.polled = -Errno.EIO;
        assertFails("ibv_poll_cq", () -> queue.poll(new ArrayList<>()));
        queue.close();
        assertThat(queue.poll(new ArrayList<>())).isZero();
        assertThat(device.open).isEmpty();
    }

    @Test
    void whenEventsCannotBeRequestedThenArmThrows() {
        NotificationQueue queue = open();
        device.armError = Errno.EINVAL;
        assertFails("ibv_req_notify_cq", queue::arm);
        queue.close();
        queue.arm();
    }

    @Test
    void whenReceivesCannotBeRepostedThenPolledNotificationsAreKept() {
        NotificationQueue queue = open();
        LentRegion region = new LentRegion(1, null, Set.of(), null, () -> {}, null);
        device.immediate = NotificationQueue.immediate(queue.add(region), 7);
        device.polled = 1;
        device.receiveError = Errno.ENOMEM;
        List<NotificationQueue.Notification> notifications = new ArrayList<>();

        assertFails("ibv_post_srq_recv", () -> queue.poll(notifications));
        assertThat(notifications).containsExactly(new NotificationQueue.Notification(region, 0, 7));
        queue.close();
    }

    @Test
    void whenNotificationsAreKeptThenTheyArePolledOnceWithoutTheDevice() {
        NotificationQueue queue = open();
        LentRegion region = new LentRegion(1, null, Set.of(), null, () -> {}, null);
        device.immediate = NotificationQueue.immediate(queue.add(region), 7);
        device.polled = 1;
        device.left = 1;
        queue.keep();
        List<NotificationQueue.Notification> notifications = new ArrayList<>();

        assertThat(queue.poll(notifications)).isOne();
        assertThat(queue.poll(notifications)).isZero();
        assertThat(notifications).containsExactly(new NotificationQueue.Notification(region, 0, 7));
        queue.close();
    }

    private static final class SilentChannel implements CompletionChannel {

        @Override
        public int await(Duration timeout) {
            return 0;
        }

        @Override
        public void wakeUp() {}

        @Override
        public void close() {}
    }

    /** A device and its protection domain, as far as notifications need them. */
    private static final class Device implements RdmaContext, ProtectionDomain {

        private final List<Object> open = new ArrayList<>();
        private boolean makesCompletions = true;
        private int receiveError;
        private int armError;
        private int polled;
        private int left = Integer.MAX_VALUE;
        private int immediate;

        @Override
        public String deviceName() {
            return "fake0";
        }

        @Override
        public CompletionQueue createCompletionQueue(int entries, CompletionChannel channel) {
            if (!makesCompletions) {
                throw new RdmaVerbsException("ibv_create_cq", "fake0", Errno.ENOMEM, "The test injects this failure");
            }
            return new Completions();
        }

        @Override
        public SharedReceiveQueue createSharedReceiveQueue(int maxWr, int maxSge) {
            return new Receives();
        }

        private final class Completions implements CompletionQueue {

            Completions() {
                open.add(this);
            }

            @Override
            public int poll(WorkCompletions into, int max) {
                if (left == 0) {
                    return 0;
                }
                left -= Math.max(0, polled);
                if (polled > 0) {
                    into.set(0, 1, CompletionStatus.SUCCESS, 0, 0, 0, 1, 0, WorkCompletions.FLAG_WITH_IMM);
                    into.setImmediate(0, immediate);
                }
                return polled;
            }

            @Override
            public int requestNotification(boolean solicitedOnly) {
                return armError;
            }

            @Override
            public int capacity() {
                return 2 * NotificationQueue.RECEIVES;
            }

            @Override
            public void close() {
                open.remove(this);
            }
        }

        private final class Receives implements SharedReceiveQueue {

            Receives() {
                open.add(this);
            }

            @Override
            public int postReceive(ReceiveRequests requests, int first) {
                return receiveError;
            }

            @Override
            public int maxWr() {
                return NotificationQueue.RECEIVES;
            }

            @Override
            public int maxSge() {
                return 1;
            }

            @Override
            public void armLimit(int limit) {}

            @Override
            public int queryLimit() {
                return 0;
            }

            @Override
            public void close() {
                open.remove(this);
            }
        }

        @Override
        public DeviceAttributes attributes() {
            throw new UnsupportedOperationException();
        }

        @Override
        public PortAttributes queryPort(int portNumber) {
            throw new UnsupportedOperationException();
        }

        @Override
        public List<GidEntry> gidTable(int portNumber) {
            throw new UnsupportedOperationException();
        }

        @Override
        public ProtectionDomain allocateProtectionDomain() {
            return this;
        }

        @Override
        public CompletionQueue createCompletionQueue(int entries) {
            throw new UnsupportedOperationException();
        }

        @Override
        public MemoryRegion registerMemory(MemorySegment segment, Set<AccessFlag> access) {
            throw new UnsupportedOperationException();
        }

        @Override
        public QueuePair createQueuePair(QueuePairConfig config) {
            throw new UnsupportedOperationException();
        }

        @Override
        public AddressHandle createAddressHandle(AddressHandleAttributes attributes) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {}
    }
}
