package io.rdmarpc.verbs.soft.shm;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.UUID;

/**
 * Determines whether the owner of an inbox is alive. The kernel releases a dead process's lock in any namespace.
 * Process identifiers would not work, because they are reused.
 *
 * <p>Such a lock belongs to the whole process, and ends as soon as the process closes any descriptor of the file. So a
 * JVM never opens its own lock files: an inbox of this JVM is alive as long as it exists. The name of an inbox has the
 * number of its JVM. The number is stored as a system property, so that all class loaders share it.
 */
final class PeerLiveness {

    static final String LOCK = "lock";

    private static final String JVM_PROPERTY = "io.rdmarpc.verbs.soft.shm.jvm";

    private PeerLiveness() {}

    /** Returns the number of this JVM. */
    static String jvm() {
        return (String) System.getProperties().computeIfAbsent(JVM_PROPERTY, _ -> randomNumber());
    }

    /** Returns a unique number in 16 hexadecimal digits. */
    static String randomNumber() {
        return "%016x".formatted(UUID.randomUUID().getMostSignificantBits());
    }

    /** Locks a new inbox of this process; the lock is held until the channel is closed. */
    static FileChannel lock(Path inbox) throws IOException {
        FileChannel channel =
                FileChannel.open(inbox.resolve(LOCK), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        try {
            if (channel.tryLock() != null) {
                return channel;
            }
            throw new IOException("another process has locked " + inbox);
        } catch (IOException | OverlappingFileLockException e) {
            channel.close();
            throw new IOException("cannot lock " + inbox, e);
        }
    }

    /** Returns whether the owner of an inbox is dead; false in case of doubt. */
    static boolean isDead(Rendezvous rendezvous, String inbox) {
        Path directory = rendezvous.inbox(inbox);
        if (inbox.startsWith(jvm())) {
            return !Files.exists(directory);
        }
        try (FileChannel channel = FileChannel.open(directory.resolve(LOCK), StandardOpenOption.WRITE);
                FileLock lock = channel.tryLock()) {
            return lock != null;
        } catch (NoSuchFileException e) {
            return true;
        } catch (IOException | OverlappingFileLockException e) {
            return false; // Another thread checks as well, or this one was interrupted.
        }
    }
}
