package io.rdmarpc.remote;

import static io.rdmarpc.remote.Memories.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.async.LocalRegion;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Writes that the owner is told of, on every provider and network. */
abstract class RemoteNoticeCases extends RemoteMemoryFixture {

    RemoteNoticeCases(MemoryProvider provider) {
        super(provider);
    }

    @Test
    @DisplayName(
            "OS-02 writes with a notice: the listener of the grant is told of each, in order, when the bytes are there")
    void whenAPeerWritesWithNoticesThenTheListenerIsTold() {
        int count = 2_000;
        List<WriteNotice> notices = new CopyOnWriteArrayList<>();
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
    @DisplayName("OS-02 memory that a peer has allocated has notices too, with nothing but a tag if it likes")
    void whenAPeerAllocatesWithNoticesThenTheCommonListenerIsTold() {
        List<WriteNotice> notices = new CopyOnWriteArrayList<>();
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
