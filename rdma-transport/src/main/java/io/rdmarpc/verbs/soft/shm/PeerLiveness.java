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
 * Tells whether the owner of an inbox lives: the kernel drops a dead process's lock, whatever its namespace, and process
 * numbers that are used again mean nothing.
 *
 * <p>Such a lock belongs to the whole process, and goes when the process closes any descriptor of the file. So lock files
 * of the own JVM are never opened: an inbox of this JVM lives as long as it is there. Which JVM an inbox belongs to is part
 * of its name; the number is kept where all class loaders see it.
 */
final class PeerLiveness {

    static final String LOCK = "lock";

    private static final String JVM_PROPERTY = "io.rdmarpc.verbs.soft.shm.jvm";

    private PeerLiveness() {}

    /** Returns this JVM's number. */
    static String jvm() {
        return (String) System.getProperties().computeIfAbsent(JVM_PROPERTY, _ -> randomNumber());
    }

    /** Returns a number that nothing else has, in 16 hexadecimal digits. */
    static String randomNumber() {
        return "%016x".formatted(UUID.randomUUID().getMostSignificantBits());
    }

    /** Takes the lock of an own inbox; it is held until the channel is closed. */
    static FileChannel lock(Path inbox) throws IOException {
        FileChannel channel =
                FileChannel.open(inbox.resolve(LOCK), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        try {
            if (channel.tryLock() != null) {
                return channel;
            }
            throw new IOException("somebody else has locked " + inbox);
        } catch (IOException | OverlappingFileLockException e) {
            channel.close();
            throw new IOException("no lock on " + inbox, e);
        }
    }

    /** Tells whether an inbox has lost its owner. In doubt it has not. */
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
            return false; // Another thread looks too, or this one was interrupted.
        }
    }
}
