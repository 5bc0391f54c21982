package io.rdmarpc.verbs.soft.shm;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The directory in which the software RNICs of one user on one host find each other. Only this user may enter it.
 *
 * <pre>
 *   /dev/shm/rdma-rpc-UID/
 *     NETNS-ADDRESS-PORT       text: the inbox of the RNIC with this UDP port, and the index of the address
 *     JVM-NUMBER/              an inbox
 *       lock                   locked as long as its owner is alive
 *       socket                 receives rings and memory of peers, see {@link Handover}
 *     JVM-NUMBER/              an inbox of a process that cannot receive descriptors
 *       lock                   locked as long as its owner is alive
 *       state                  see {@link io.rdmarpc.verbs.soft.shm.layout.InboxState}
 *       ring-...               exists until the owner opens it; see ShmRingLayout
 * </pre>
 *
 * The network namespace is part of the key because two namespaces may have the same address and port. A file is created
 * under another name, which begins with {@code new-}, and is renamed when it is complete.
 */
final class Rendezvous {

    /** A file system in memory. The kernel would write files of other file systems to a disk. */
    static final Path PARENT = Path.of("/dev/shm");

    private static final String BASE_PREFIX = "rdma-rpc-";
    private static final String NEW = "new-";
    private static final int ATTEMPTS = 3;
    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rwx------");

    private final Path base;
    private final String namespace;

    private Rendezvous(Path base, String namespace) {
        this.base = base;
        this.namespace = namespace;
    }

    /**
     * Opens the directory of this user, and creates it if necessary.
     *
     * @param parent the parent directory
     * @throws IOException if the parent does not exist, or other users can access the directory
     */
    static Rendezvous open(Path parent) throws IOException {
        Object user = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        String namespace =
                Files.readSymbolicLink(Path.of("/proc/self/ns/net")).toString().replaceAll("\\D", "");
        Path base = parent.resolve(BASE_PREFIX + user);
        try {
            Files.createDirectory(base, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
        } catch (FileAlreadyExistsException e) {
            // An existing directory is checked below, like a new one.
        }
        check(base, user);
        return new Rendezvous(base, namespace);
    }

    private static void check(Path base, Object user) throws IOException {
        Map<String, Object> found =
                Files.readAttributes(base, "unix:uid,isDirectory,permissions", LinkOption.NOFOLLOW_LINKS);
        if (!user.equals(found.get("uid"))
                || !Boolean.TRUE.equals(found.get("isDirectory"))
                || !OWNER_ONLY.equals(found.get("permissions"))) {
            throw new IOException(
                    base + " must be a directory that only user " + user + " can access, but it has " + found);
        }
    }

    Path base() {
        return base;
    }

    // ---- local inbox ----

    /** Creates the directory of an inbox, under a temporary name. */
    Path createInbox(String name) throws IOException {
        for (int attempt = 1; ; attempt++) {
            try {
                return Files.createDirectory(
                        base.resolve(NEW + name), PosixFilePermissions.asFileAttribute(OWNER_ONLY));
            } catch (IOException e) {
                // The last process that ended may have removed the common directory.
                if (attempt == ATTEMPTS || Files.isDirectory(base)) {
                    throw e;
                }
                Files.createDirectories(base, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
            }
        }
    }

    /** Renames an inbox or a ring to its final name, under which other processes see it. */
    static Path publish(Path file) throws IOException {
        String name = file.getFileName().toString().substring(NEW.length());
        return Files.move(file, file.resolveSibling(name), StandardCopyOption.ATOMIC_MOVE);
    }

    Path inbox(String name) {
        return base.resolve(name);
    }

    /** Returns the name for a new ring in an inbox. */
    static Path newRing(Path inbox) {
        return inbox.resolve(NEW + Inbox.RING_PREFIX + UUID.randomUUID());
    }

    // ---- addresses ----

    /** An address of an RNIC on this host. */
    record Entry(String inbox, int index) {}

    private Path entry(String address, int port) {
        return base.resolve(namespace + "-" + address + "-" + port);
    }

    void register(String address, int port, Entry entry) throws IOException {
        Path draft = base.resolve(NEW + UUID.randomUUID());
        Files.writeString(draft, entry.inbox() + " " + entry.index(), StandardOpenOption.CREATE_NEW);
        Files.move(draft, entry(address, port), StandardCopyOption.ATOMIC_MOVE);
    }

    /** Finds the owner of an address, which may be dead, or null. */
    @Nullable
    Entry find(String address, int port) {
        Path file = entry(address, port);
        try {
            // Usually there is none, and the check is cheaper than an exception.
            return Files.exists(file) ? parse(Files.readString(file, StandardCharsets.US_ASCII)) : null;
        } catch (IOException e) {
            return null; // It was removed in between.
        }
    }

    private static @Nullable Entry parse(String text) {
        int space = text.indexOf(' ');
        if (space < 0 || !Inbox.isName(text.substring(0, space))) {
            return null;
        }
        try {
            return new Entry(text.substring(0, space), Integer.parseUnsignedInt(text.substring(space + 1)));
        } catch (NumberFormatException e) {
            return null;
        }
    }

    // ---- cleanup ----

    /** Removes the files of dead processes. */
    void tidy() {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(base)) {
            for (Path file : files) {
                tidy(file);
            }
        } catch (IOException e) {
            // Another process cleans up as well.
        }
    }

    private void tidy(Path file) throws IOException {
        String name = file.getFileName().toString();
        if (name.startsWith(NEW)) {
            removeDraft(file);
        } else if (Inbox.isName(name)) {
            if (PeerLiveness.isDead(this, name)) {
                removeInbox(name);
            }
        } else if (isStale(file)) {
            Files.deleteIfExists(file);
        }
    }

    /** Removes an old temporary file; a live process renames its file within milliseconds. */
    private static void removeDraft(Path file) throws IOException {
        long age = System.currentTimeMillis()
                - Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS).toMillis();
        if (age > 10_000) {
            remove(file);
        }
    }

    private boolean isStale(Path file) throws IOException {
        Entry entry = parse(Files.readString(file, StandardCharsets.US_ASCII));
        return entry == null || !Files.exists(inbox(entry.inbox())) || PeerLiveness.isDead(this, entry.inbox());
    }

    /** Removes an inbox and all addresses that refer to it. */
    void removeInbox(String name) {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(base, namespace + "-*")) {
            for (Path file : files) {
                Entry entry = parse(Files.readString(file, StandardCharsets.US_ASCII));
                if (entry != null && entry.inbox().equals(name)) {
                    Files.deleteIfExists(file);
                }
            }
        } catch (IOException e) {
            // The rest is removed at the next start.
        }
        remove(inbox(name));
    }

    /** Removes the directory itself if it is empty. */
    void removeIfEmpty() {
        remove(base, false);
    }

    private static void remove(Path file) {
        remove(file, true);
    }

    private static void remove(Path file, boolean withContent) {
        try {
            if (withContent && Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS)) {
                try (DirectoryStream<Path> inside = Files.newDirectoryStream(file)) {
                    for (Path part : inside) {
                        Files.deleteIfExists(part);
                    }
                }
            }
            Files.deleteIfExists(file);
        } catch (IOException e) {
            // Another process cleans up as well, or the directory is not empty.
        }
    }
}
