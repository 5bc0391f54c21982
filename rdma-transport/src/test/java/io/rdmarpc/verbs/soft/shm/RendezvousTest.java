package io.rdmarpc.verbs.soft.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.rdmarpc.verbs.soft.shm.budget.HostLinkCounters;
import io.rdmarpc.verbs.soft.shm.budget.RingBudget;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RendezvousTest {

    private static final String ADDRESS = "7f000001";
    private static final String DEAD = "00000000000000aa-00000000000000bb";

    private static final HostLinkCounters COUNTERS = new HostLinkCounters();
    private static final RingBudget BUDGET = new RingBudget(SharedMemoryOptions.DEFAULT_INBOUND_BYTES, COUNTERS);

    private final SharedDirectory directory;
    private final Rendezvous rendezvous;

    RendezvousTest() throws IOException {
        directory = SharedDirectory.create();
        rendezvous = Rendezvous.open(directory.path());
    }

    @AfterEach
    void close() throws IOException {
        directory.close();
    }

    private void leaveBehind(String inbox) throws IOException {
        Path path = Rendezvous.publish(rendezvous.createInbox(inbox));
        Files.createFile(path.resolve(PeerLiveness.LOCK));
        Files.createFile(path.resolve("ring-1"));
        rendezvous.register(ADDRESS, 4791, new Rendezvous.Entry(inbox, 3));
    }

    @Test
    void shouldBeAccessibleToItsOwnerOnly() throws IOException {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(rendezvous.base())))
                .isEqualTo("rwx------");
    }

    @Test
    void whenOthersMayEnterThenIsNotUsed() throws IOException {
        Files.setPosixFilePermissions(rendezvous.base(), PosixFilePermissions.fromString("rwxrwx---"));
        assertThatIOException()
                .isThrownBy(() -> Rendezvous.open(directory.path()))
                .withMessageContaining("must be a directory that only user");
    }

    @Test
    void whenNameIsASymbolicLinkThenIsNotUsed() throws IOException {
        Path elsewhere = Files.move(rendezvous.base(), directory.path().resolve("elsewhere"));
        Files.createSymbolicLink(rendezvous.base(), elsewhere);
        assertThatIOException()
                .isThrownBy(() -> Rendezvous.open(directory.path()))
                .withMessageContaining("must be a directory that only user");
    }

    @Test
    void whenAFileHasItsNameThenIsNotUsed() throws IOException {
        Files.delete(rendezvous.base());
        Files.createFile(rendezvous.base());
        assertThatIOException().isThrownBy(() -> Rendezvous.open(directory.path()));
    }

    @Test
    void shouldFindTheLastRegistration() throws IOException {
        assertThat(rendezvous.find(ADDRESS, 4791)).isNull();
        rendezvous.register(ADDRESS, 4791, new Rendezvous.Entry(DEAD, 3));
        rendezvous.register(ADDRESS, 4791, new Rendezvous.Entry(DEAD, 4));
        assertThat(rendezvous.find(ADDRESS, 4791)).isEqualTo(new Rendezvous.Entry(DEAD, 4));
        assertThat(rendezvous.find(ADDRESS, 4792)).isNull();
    }

    @Test
    void whenOwnerIsDeadThenItsInboxAndAddressesAreRemoved() throws IOException {
        leaveBehind(DEAD);
        rendezvous.tidy();
        assertThat(directory.files()).containsExactly(rendezvous.base());
        rendezvous.removeIfEmpty();
        assertThat(directory.files()).isEmpty();
    }

    @Test
    void whenOwnerIsAliveThenNothingIsRemoved() throws IOException {
        try (Inbox inbox = Inbox.create(rendezvous, 1, false, BUDGET, COUNTERS)) {
            rendezvous.register(ADDRESS, 4791, new Rendezvous.Entry(inbox.name(), 0));
            rendezvous.tidy();
            assertThat(rendezvous.find(ADDRESS, 4791)).isNotNull();
            assertThat(PeerLiveness.isDead(rendezvous, inbox.name())).isFalse();
        }
        assertThat(directory.files()).isEmpty();
    }

    @Test
    void shouldRemoveDraftsOnlyWhenTheyAreOld() throws IOException {
        Path fresh = rendezvous.createInbox(DEAD);
        Path old = rendezvous.createInbox("1" + DEAD.substring(1));
        Files.setLastModifiedTime(old, FileTime.from(Instant.now().minusSeconds(60)));
        rendezvous.tidy();
        assertThat(directory.files()).containsExactlyInAnyOrder(rendezvous.base(), fresh);
    }

    @Test
    void whenTheDirectoryWasRemovedThenTheNextInboxCreatesItAgain() throws IOException {
        rendezvous.removeIfEmpty();
        assertThat(directory.files()).isEmpty();
        Inbox.create(rendezvous, 1, false, BUDGET, COUNTERS).close();
        assertThat(directory.files()).isEmpty();
    }
}
