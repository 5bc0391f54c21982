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

/** Writes that the owner is told of, on every provider and network. */
abstract class RemoteNotificationCases extends RemoteMemoryFixture {

    /** Seven times 82 ms were the limit of queue pairs that give up. */
    private static final Duration LONGER_THAN_ALL_RETRIES = Duration.ofSeconds(1);

    RemoteNotificationCases(MemoryProvider provider) {
        super(provider);
    }

    @Test
    @DisplayName(
            "OS-02 writes with a notice: the listener of the grant is told of each, in order, when the bytes are there")
    void whenAPeerWritesWithNoticesThenTheListenerIsTold() {
        int count = 2_000;
        List<WriteNotification> notices = new CopyOnWriteArrayList<>();
        List<Long> values = new CopyOnWriteArrayList<>();
        try (LocalRegion memory = owner.allocateLocal(count * 8L);
                LocalRegion local = user.allocateLocal(count * 8L)) {
            RegionGrant grant = owner.grant(memory.slice(), Set.of(RemoteRight.WRITE, RemoteRight.NOTIFY), LONG)
                    .onWrite(notice -> {
                        values.add(notice.memory().getAtIndex(ValueLayout.JAVA_LONG, notice.tag()));
                        notices.add(notice);
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
            await("all notices", () -> notices.size() == count);
            for (int i = 0; i < count; i++) {
                assertThat(notices.get(i).tag()).isEqualTo(i);
                assertThat(notices.get(i).bytes()).isEqualTo(8);
                assertThat(notices.get(i).peer()).isEqualTo(user.id());
                assertThat(values.get(i)).isEqualTo(i * 3L + 1);
            }
            assertThat(owner.statistics().lending().notices()).isEqualTo(count);
            region.close();
        }
    }

    @Test
    @DisplayName("OS-02 a listener that takes no notices for long: the writer is held up, and nothing fails or is lost")
    void whenTheListenerStandsStillThenTheWriterWaits() {
        int count = 2 * NotificationQueue.RECEIVES;
        CompletableFuture<Void> goOn = new CompletableFuture<>();
        List<Integer> tags = new CopyOnWriteArrayList<>();
        try (LocalRegion memory = owner.allocateLocal(64);
                LocalRegion local = user.allocateLocal(64)) {
            RegionGrant grant = owner.grant(memory.slice(), Set.of(RemoteRight.WRITE, RemoteRight.NOTIFY), LONG)
                    .onWrite(notice -> {
                        get(goOn);
                        tags.add(notice.tag());
                    });
            RemoteRegion region = peer.open(grant.token());
            List<CompletableFuture<Void>> writes = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                writes.add(region.writeWithNotifyAsync(0, local.slice(0, 8), i));
            }
            LockSupport.parkNanos(LONGER_THAN_ALL_RETRIES.toNanos());
            assertThat(writes.getLast()).isNotDone();
            goOn.complete(null);
            writes.forEach(Memories::get);
            await("all notices", () -> tags.size() == count);
            assertThat(tags).isSorted();
            region.close();
        }
    }

    @Test
    @DisplayName("OS-02 a peer that asks nobody sends a notice of a region without the right: nobody is told")
    void whenARegionHasNoNoticesThenNobodyIsTold() {
        List<Integer> tags = new CopyOnWriteArrayList<>();
        owner.onWrite(notice -> tags.add(notice.tag()));
        try (RemoteRegion silent = peer.allocate(64, Set.of(RemoteRight.WRITE), LONG);
                RemoteRegion told = peer.allocate(64, RemoteRight.ALL, LONG);
                LocalRegion local = user.allocateLocal(64)) {
            RdmaConnection connection = get(silent.lease().link().path().connect());
            int unknown = told.lease().slot() + 1;
            get(connection.writeWithImmediate(
                    local.slice(), silent.lease().place(0, 64), NotificationQueue.immediate(unknown, 1)));
            told.writeWithNotify(0, local.slice(), 2);
            await("the notice after it", () -> !tags.isEmpty());
            assertThat(tags).containsExactly(2);
            assertThat(owner.statistics().lending().notices()).isOne();
        }
    }

    @Test
    @DisplayName("OS-02 notices of a connection that has ended are told, too, before those of the next one")
    void whenAConnectionEndsThenItsNoticesAreTold() {
        CompletableFuture<Void> goOn = new CompletableFuture<>();
        List<Integer> tags = new CopyOnWriteArrayList<>();
        owner.onWrite(notice -> {
            get(goOn);
            tags.add(notice.tag());
        });
        try (RemoteRegion region = peer.allocate(64, RemoteRight.ALL, LONG);
                LocalRegion local = user.allocateLocal(64)) {
            for (int i = 0; i < 100; i++) {
                region.writeWithNotify(0, local.slice(), i);
            }
            assertRefusedByTheNic(rawRead(region, 1, local.slice()));
            region.writeWithNotify(0, local.slice(), 100);
            goOn.complete(null);
            await("all notices", () -> tags.size() == 101);
            assertThat(tags).isSorted();
        }
    }

    @Test
    @DisplayName("OS-02 memory that a peer has allocated has notices too, with nothing but a tag if it likes")
    void whenAPeerAllocatesWithNoticesThenTheCommonListenerIsTold() {
        List<WriteNotification> notices = new CopyOnWriteArrayList<>();
        owner.onWrite(notices::add);
        try (RemoteRegion region = peer.allocate(64, RemoteRight.ALL, LONG);
                LocalRegion local = user.allocateLocal(64)) {
            region.writeWithNotify(8, local.slice(0, 0), 65_535);
            await("the notice", () -> !notices.isEmpty());
            assertThat(notices.getFirst().tag()).isEqualTo(65_535);
            assertThat(notices.getFirst().bytes()).isZero();
            assertThat(notices.getFirst().grant()).isEmpty();
            assertThat(notices.getFirst().memory().byteSize()).isEqualTo(64);
        }
    }
}
