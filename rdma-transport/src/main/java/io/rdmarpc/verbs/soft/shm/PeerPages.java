package io.rdmarpc.verbs.soft.shm;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A peer's memory, mapped when it is first asked for. What the peer has given up since stays mapped until it goes. */
final class PeerPages implements AutoCloseable {

    private static final int MOST_FILES = 64;

    private final Path inbox;
    private final Map<Integer, SharedFile> files = new HashMap<>();
    private @Nullable SharedFile keyFile;
    private @Nullable KeyTable keys;
    private int lastNumber = -1;
    private @Nullable MemorySegment lastPages;

    PeerPages(Path inbox) {
        this.inbox = inbox;
    }

    /** Returns the name of a file of pages in an inbox. */
    static String fileName(int number) {
        return "pages-" + number;
    }

    /** Returns pages, or null when they cannot be mapped. */
    @Nullable
    MemorySegment pages(int number) {
        if (number == lastNumber) {
            return lastPages;
        }
        SharedFile file = files.get(number);
        if (file == null) {
            file = map(number);
        }
        if (file == null) {
            return null;
        }
        lastNumber = number;
        lastPages = file.memory();
        return lastPages;
    }

    private @Nullable SharedFile map(int number) {
        if (files.size() == MOST_FILES) {
            forgetFiles();
        }
        try {
            SharedFile file = SharedFile.openToRead(inbox.resolve(fileName(number)));
            files.put(number, file);
            return file;
        } catch (IOException e) {
            return null;
        }
    }

    private void forgetFiles() {
        files.values().forEach(SharedFile::close);
        files.clear();
        lastNumber = -1;
        lastPages = null;
    }

    boolean isValid(int key) {
        KeyTable table = keys;
        if (table == null) {
            table = openKeys();
        }
        return table != null && table.isValid(key);
    }

    private @Nullable KeyTable openKeys() {
        try {
            SharedFile file = SharedFile.openToRead(inbox.resolve(KeyTable.FILE));
            if (file.memory().byteSize() != KeyTable.BYTES) {
                file.close();
                return null;
            }
            keyFile = file;
            keys = new KeyTable(file.memory());
            return keys;
        } catch (IOException e) {
            return null;
        }
    }

    @Override
    public void close() {
        forgetFiles();
        if (keyFile != null) {
            keyFile.close();
        }
        keys = null;
    }
}
