package io.rdmarpc.service.codec.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

import io.rdmarpc.annotation.RdmaService;
import io.rdmarpc.service.RdmaSerializationException;
import io.rdmarpc.service.codec.CodecFixture;
import io.rdmarpc.service.codec.Evolution;
import io.rdmarpc.service.codec.SerializationSettings;
import io.rdmarpc.service.codec.kryo.KryoFormats;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Generated code of slots")
class TypedSlotTest {

    record Line(String article, int quantity) {}

    @SuppressWarnings({"rawtypes", "NonApiType"})
    record Everywhere<T extends Collection<T>>(
            List<Line> lines,
            Collection<List<Map<String, Set<Line>>>> deep,
            List<List<List<List<List<List<String>>>>>> deeper,
            SortedMap<String, Instant> sorted,
            HashMap<Line, Line> exact,
            Queue<?> queue,
            List<T> unending,
            List raw,
            Map<String, Object> open,
            List<Everywhere<T>> more) {}

    @RdmaService
    interface Places {

        Everywhere<?> everywhere(Everywhere<?> value);

        Map<String, List<Line>> containers(List<Line> lines, SortedMap<String, Instant> times, Collection<?> others);

        Object any(Object value);
    }

    private static CodecFixture fixture(boolean generated, int depth) {
        return new CodecFixture(
                Places.class,
                KryoFormats.kryo(
                        Places.class.getClassLoader(),
                        List.of(),
                        new SerializationSettings(Evolution.NONE, depth, 10_000, Integer.MAX_VALUE),
                        generated));
    }

    private final CodecFixture generated = fixture(true, 256);
    private final CodecFixture reflective = fixture(false, 256);

    @SuppressWarnings({"rawtypes", "unchecked"})
    private static Everywhere<?> everywhere(List<Line> lines, List raw, List<?> more) {
        return new Everywhere(
                lines,
                List.of(List.of(Map.of("a", new LinkedHashSet<>(lines))), List.of()),
                List.of(List.of(List.of(List.of(List.of(List.of("deep")))))),
                new TreeMap<>(Map.of("now", Instant.EPOCH, "then", Instant.MAX)),
                new HashMap<>(Map.of(new Line("k", 1), new Line("v", 2))),
                null,
                List.of(),
                raw,
                new LinkedHashMap<>(Map.of("number", 1)),
                more);
    }

    private static List<Line> lines(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> i % 5 == 3 ? null : new Line("article " + i, i * 1_000))
                .collect(ArrayList::new, List::add, List::addAll);
    }

    private void isWrittenEqually(Everywhere<?> value) {
        byte[] bytes = generated.arguments("everywhere", value);
        assertThat(reflective.arguments("everywhere", value)).isEqualTo(bytes);
        assertThat(generated.readArguments("everywhere", bytes)).containsExactly(value);
        assertThat(reflective.readArguments("everywhere", bytes)).containsExactly(value);
    }

    @Test
    void shouldWriteTheSameBytesAsMethodHandles() {
        isWrittenEqually(everywhere(lines(0), null, null));
        isWrittenEqually(everywhere(lines(7), List.of(1, "two"), List.of()));
        isWrittenEqually(everywhere(lines(3_000), Arrays.asList(1, null), null));
        isWrittenEqually(everywhere(lines(2), null, Arrays.asList(everywhere(lines(1), List.of(), null), null)));
    }

    private void areWrittenEqually(Object... arguments) {
        byte[] bytes = generated.arguments("containers", arguments);
        assertThat(reflective.arguments("containers", arguments)).isEqualTo(bytes);
        assertThat(generated.readArguments("containers", bytes)).containsExactly(arguments);
        assertThat(reflective.readArguments("containers", bytes)).containsExactly(arguments);
    }

    @Test
    void shouldBeUsedForArgumentsAndResults() {
        areWrittenEqually(lines(7), new TreeMap<>(Map.of("now", Instant.EPOCH)), List.of(1, "two"));
        areWrittenEqually(null, null, null);
        areWrittenEqually(lines(3_000), new TreeMap<>(), List.of());
        Map<String, List<Line>> result = Map.of("a", lines(3), "b", List.of());
        byte[] bytes = generated.result("containers", result);
        assertThat(reflective.result("containers", result)).isEqualTo(bytes);
        assertThat(generated.readResult("containers", bytes)).isEqualTo(result);
    }

    @Test
    void whenAnArgumentIsOfAnotherClassThenItIsRejected() {
        byte[] map = generated.result("containers", Map.of());
        byte[] list = generated.result("any", List.of());
        assertThat(generated.readResult("any", map)).isEqualTo(Map.of());
        assertThatExceptionOfType(RdmaSerializationException.class)
                .isThrownBy(() -> generated.readResult("containers", list))
                .withMessageContaining("a java.util.ArrayList instead of a java.util.Map");
        assertThatNoException().isThrownBy(() -> generated.copyResult("any", List.of("fine")));
    }

    /** Unchecked code may add elements that violate the declared type. */
    @Test
    @SuppressWarnings({"rawtypes", "unchecked"})
    void shouldAcceptElementsOfOtherClasses() {
        List lines = new ArrayList(Arrays.asList(new Line("a", 1), "text", 5, null, List.of("x"), new Line("b", 2)));
        isWrittenEqually(everywhere(lines, null, null));
        isWrittenEqually(everywhere(lines(2), null, null));
    }

    @Test
    void shouldReadAnyCollection() {
        Everywhere<?> value = everywhere(lines(2), null, null);
        Everywhere<?> withQueue = new Everywhere<>(
                value.lines(),
                value.deep(),
                null,
                null,
                null,
                new ArrayDeque<>(List.of(1, "x")),
                null,
                null,
                null,
                null);
        byte[] bytes = generated.arguments("everywhere", withQueue);
        Everywhere<?> copy = (Everywhere<?>) generated.readArguments("everywhere", bytes)[0];
        assertThat(copy.queue()).isInstanceOf(ArrayDeque.class).hasToString("[1, x]");
        assertThat(reflective.arguments("everywhere", withQueue)).isEqualTo(bytes);
    }

    @Test
    void shouldCountTheDepthLikeMethodHandles() {
        Everywhere<?> value = everywhere(lines(1), null, List.of());
        for (int nested = 0; nested < 4; nested++) {
            for (int depth = 1; depth < 20; depth++) {
                Everywhere<?> each = value;
                byte[] bytes = generated.arguments("everywhere", each);
                CodecFixture one = fixture(true, depth);
                CodecFixture other = fixture(false, depth);
                boolean fits = accepts(() -> one.arguments("everywhere", each));
                assertThat(accepts(() -> other.arguments("everywhere", each))).isEqualTo(fits);
                assertThat(accepts(() -> one.readArguments("everywhere", bytes)))
                        .isEqualTo(fits);
                assertThat(accepts(() -> other.readArguments("everywhere", bytes)))
                        .isEqualTo(fits);
            }
            value = everywhere(lines(1), null, List.of(value));
        }
    }

    private static boolean accepts(Runnable work) {
        try {
            work.run();
            return true;
        } catch (RdmaSerializationException e) {
            assertThat(e).hasMessageContaining("Max depth exceeded");
            return false;
        }
    }

    @Test
    void shouldNameThePlaceOfAFailure() {
        byte[] good = generated.arguments("everywhere", everywhere(lines(2), null, null));
        for (int length = 0; length < good.length; length++) {
            byte[] cut = Arrays.copyOf(good, length);
            assertThatExceptionOfType(RdmaSerializationException.class)
                    .isThrownBy(() -> generated.readArguments("everywhere", cut));
        }
        // The list of lines with its claimed size: not-null, class of ArrayList, size.
        good[2] = 127;
        assertThatExceptionOfType(RdmaSerializationException.class)
                .isThrownBy(() -> generated.readArguments("everywhere", good))
                .withMessageContaining("lines (" + Everywhere.class.getName() + ")");
        assertThatNoException().isThrownBy(() -> generated.copyResult("any", List.of("fine")));
    }

    /** Numbers and strings of all lengths across the end of the short array. */
    @Test
    void shouldSerializeMessagesOfManyArrays() {
        for (int count = 280; count < 340; count++) {
            Everywhere<?> value = everywhere(lines(count), null, null);
            assertThat(generated.copyArguments("everywhere", value)).containsExactly(value);
        }
    }
}
