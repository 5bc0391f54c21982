package io.rdmarpc.remote;

import static io.rdmarpc.remote.Memories.await;
import static io.rdmarpc.remote.Memories.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.async.LocalRegion;
import io.rdmarpc.async.RdmaConnection;
import io.rdmarpc.remote.lease.RegionGrant;
import io.rdmarpc.remote.lease.RemoteRight;
import io.rdmarpc.remote.lease.WriteNotification;
import io.rdmarpc.remote.notification.NotificationQueue;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Writes with notification, on every provider and network. */
abstract class RemoteNotificationCases extends RemoteMemoryFixture {

    /** Longer than the time after which queue pairs with a finite RNR retry count fail: 7 retries of 82 ms. */
    private static final Duration LONGER_THAN_ALL_RETRIES = Duration.ofSeconds(1);

    RemoteNotificationCases(MemoryProvider provider) {
        super(provider);
    }

    @Test
    @DisplayName(
            "OS-02 writes with notification: the grant's listener receives each, in order, after the bytes arrived")
    void whenAPeerWritesWithNotificationThenTheListenerIsNotified() {
        int count = 2_000;
        List<WriteNotification> notifications = new CopyOnWriteArrayList<>();
        List<Long> values = new CopyOnWriteArrayList<>();
        try (LocalRegion memory = owner.allocateLocal(count * 8L);
                LocalRegion local = user.allocateLocal(count * 8L)) {
            RegionGrant grant = owner.grant(memory.slice(), Set.of(RemoteRight.WRITE, RemoteRight.NOTIFY), LONG)
                    .onWrite(notification -> {
                        values.add(notification.memory().getAtIndex(ValueLayout.JAVA_LONG, notification.tag()));
                        notifications.add(notification);
                    });
            RemoteRegion region = peer.open(grant.token());
            for (int i = 0; i < count; i++) {
                local.slice(i * 8L, 8).writable().set(ValueLayout.JAVA_LONG, 0, i * 3L + 1);
            }
            List<CompletableFuture<Void>> writes = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                writes.add(region.writeWithNotifyAsync(i * 8L, local.slice(i * 8L, 8), i));
                if (i % 500 == 499) {
                    writes.forEach(Memories::get);
                }
            }
            await("all notifications", () -> notifications.size() == count);
            for (int i = 0; i < count; i++) {
                assertThat(notifications.get(i).tag()).isEqualTo(i);
                assertThat(notifications.get(i).bytes()).isEqualTo(8);
                assertThat(notifications.get(i).peer()).isEqualTo(user.id());
                assertThat(values.get(i)).isEqualTo(i * 3L + 1);
            }
            assertThat(owner.statistics().lending().notifications()).isEqualTo(count);
            region.close();
        }
    }

    @Test
    @DisplayName("OS-02 while a listener blocks for long, the writer waits, and no write fails or is lost")
    void whenTheListenerBlocksThenTheWriterWaits() {
        int count = 2 * NotificationQueue.RECEIVES;
        CompletableFuture<Void> listenerMayReturn = new CompletableFuture<>();
        List<Integer> tags = new CopyOnWriteArrayList<>();
        try (LocalRegion memory = owner.allocateLocal(64);
                LocalRegion local = user.allocateLocal(64)) {
            RegionGrant grant = owner.grant(memory.slice(), Set.of(RemoteRight.WRITE, RemoteRight.NOTIFY), LONG)
                    .onWrite(notification -> {
                        get(listenerMayReturn);
                        tags.add(notification.tag());
                    });
            RemoteRegion region = peer.open(grant.token());
            List<CompletableFuture<Void>> writes = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                writes.add(region.writeWithNotifyAsync(0, local.slice(0, 8), i));
            }
            LockSupport.parkNanos(LONGER_THAN_ALL_RETRIES.toNanos());
            assertThat(writes.getLast()).isNotDone();
            listenerMayReturn.complete(null);
            writes.forEach(Memories::get);
            await("all notifications", () -> tags.size() == count);
            assertThat(tags).isSorted();
            region.close();
        }
    }

    @Test
    @DisplayName("OS-02 a notification of a misbehaving peer for a region without the right is ignored")
    void whenARegionHasNoNotifyRightThenNotificationsAreIgnored() {
        List<Integer> tags = new CopyOnWriteArrayList<>();
        owner.onWrite(notification -> tags.add(notification.tag()));
        try (RemoteRegion silent = peer.allocate(64, Set.of(RemoteRight.WRITE), LONG);
                RemoteRegion notifiable = peer.allocate(64, RemoteRight.ALL, LONG);
                LocalRegion local = user.allocateLocal(64)) {
            RdmaConnection connection = get(silent.lease().link().path().connect());
            int unknown = notifiable.lease().slot() + 1;
            get(connection.writeWithImmediate(
                    local.slice(), silent.lease().range(0, 64), NotificationQueue.immediate(unknown, 1)));
            notifiable.writeWithNotify(0, local.slice(), 2);
            await("the next notification", () -> !tags.isEmpty());
            assertThat(tags).containsExactly(2);
            assertThat(owner.statistics().lending().notifications()).isOne();
        }
    }

    @Test
    @DisplayName("OS-02 notifications of an ended connection are delivered before those of the next one")
    void whenAConnectionEndsThenItsNotificationsAreDelivered() {
        CompletableFuture<Void> listenerMayReturn = new CompletableFuture<>();
        List<Integer> tags = new CopyOnWriteArrayList<>();
        owner.onWrite(notification -> {
            get(listenerMayReturn);
            tags.add(notification.tag());
        });
        try (RemoteRegion region = peer.allocate(64, RemoteRight.ALL, LONG);
                LocalRegion local = user.allocateLocal(64)) {
            for (int i = 0; i < 100; i++) {
                region.writeWithNotify(0, local.slice(), i);
            }
            assertRejectedByTheNic(rawRead(region, 1, local.slice()));
            region.writeWithNotify(0, local.slice(), 100);
            listenerMayReturn.complete(null);
            await("all notifications", () -> tags.size() == 101);
            assertThat(tags).isSorted();
        }
    }

    @Test
    @DisplayName("OS-02 allocated memory supports notifications, also without bytes")
    void whenAPeerAllocatesWithNotifyRightThenTheDefaultListenerIsNotified() {
        List<WriteNotification> notifications = new CopyOnWriteArrayList<>();
        owner.onWrite(notifications::add);
        try (RemoteRegion region = peer.allocate(64, RemoteRight.ALL, LONG);
                LocalRegion local = user.allocateLocal(64)) {
            region.writeWithNotify(8, local.slice(0, 0), 65_535);
            await("the notification", () -> !notifications.isEmpty());
            assertThat(notifications.getFirst().tag()).isEqualTo(65_535);
            assertThat(notifications.getFirst().bytes()).isZero();
            assertThat(notifications.getFirst().grant()).isEmpty();
            assertThat(notifications.getFirst().memory().byteSize()).isEqualTo(64);
        }
    }
}
