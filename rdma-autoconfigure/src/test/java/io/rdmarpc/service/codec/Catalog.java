package io.rdmarpc.service.codec;

import io.rdmarpc.annotation.RdmaService;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** A service with most kinds of types. */
@RdmaService
public interface Catalog {

    void nothing();

    Page<Article> articles(Query query, List<UUID> ids);

    Optional<Article> find(String name, int revision, Integer limit);

    CompletableFuture<Map<Kind, Set<String>>> kinds(Kind... kinds);

    Article[] all(long[] numbers, byte[] blob, char separator, boolean exact, double score);

    @SuppressWarnings("NonApiType")
    HashMap<String, Legacy> legacy(Legacy legacy);

    Object any(Object value);

    record Article(UUID id, String name, BigDecimal price, Kind kind, List<Note> notes, Instant created) {}

    record Page<T>(List<T> items, int number, Optional<Cursor> next) {}

    record Cursor(long position, Map<String, byte[]> state) {}

    record Empty() {}

    enum Kind {
        BOOK,
        FILM {
            @Override
            boolean runs() {
                return true;
            }
        };

        boolean runs() {
            return false;
        }
    }

    sealed interface Query permits ByName, Both, Nothing {}

    record ByName(String pattern) implements Query {}

    record Both(Query left, Query right) implements Query {}

    enum Nothing implements Query {
        INSTANCE
    }

    record Note(String text, Note parent) {}

    /** A class in an old style: without a default constructor, with mutable fields. */
    class Legacy {

        private final int code;
        String text;
        transient String forgotten = "forgotten";
        private Legacy next;

        public Legacy(int code, String text, Legacy next) {
            this.code = code;
            this.text = text;
            this.next = next;
        }

        @Override
        public boolean equals(Object o) {
            return o instanceof Legacy other
                    && code == other.code
                    && Objects.equals(text, other.text)
                    && Objects.equals(next, other.next);
        }

        @Override
        public int hashCode() {
            return Objects.hash(code, text, next);
        }
    }
}
