package io.rdmarpc.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A directory that imitates the root of a host, as far as a check reads it. */
record FakeHost(Path root) {

    FakeHost file(String name, String content) {
        try {
            Path file = root.resolve(name);
            Files.createDirectories(file.getParent());
            Files.writeString(file, content);
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    FakeHost directory(String name) {
        try {
            Files.createDirectories(root.resolve(name));
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    HostFiles files() {
        return new HostFiles(root);
    }
}
