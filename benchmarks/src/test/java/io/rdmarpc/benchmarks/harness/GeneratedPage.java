package io.rdmarpc.benchmarks.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A page of docs/ with generated parts between the comments {@code <!-- begin name -->} and
 * {@code <!-- end name -->}.
 */
record GeneratedPage(Path path) {

    private static final boolean WRITE = Boolean.getBoolean("docs.write");

    /** Returns a part of the page. With {@code -Ddocs.write=true}, the part is replaced first. */
    String generated(String part, String wanted) throws IOException {
        if (WRITE) {
            String page = Files.readString(path);
            Files.writeString(path, page.substring(0, start(page, part)) + wanted + page.substring(end(page, part)));
        }
        String page = Files.readString(path);
        return page.substring(start(page, part), end(page, part));
    }

    private static int start(String page, String part) {
        return indexAfter(page, "<!-- begin " + part + " -->\n");
    }

    private static int end(String page, String part) {
        String comment = "<!-- end " + part + " -->\n";
        return indexAfter(page, comment) - comment.length();
    }

    private static int indexAfter(String page, String comment) {
        int at = page.indexOf(comment);
        if (at < 0) {
            throw new IllegalStateException("the page has no comment " + comment.strip());
        }
        return at + comment.length();
    }
}
