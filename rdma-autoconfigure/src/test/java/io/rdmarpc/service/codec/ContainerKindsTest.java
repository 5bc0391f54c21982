package io.rdmarpc.service.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.annotation.RdmaService;
import io.rdmarpc.service.RdmaSerializationException;
import io.rdmarpc.service.contract.RdmaInvalidServiceException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Calendar;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Containers keep the properties of the declared type: order, comparator, kind. */
@SuppressWarnings({"NonApiType", "JdkObsolete"}) // The test is about these types.
class ContainerKindsTest {

    enum Mood {
        GOOD,
        BAD {
            @Override
            int weight() {
                return 2;
            }
        };

        int weight() {
            return 1;
        }
    }

    @RdmaService
    interface Containers {

        Map<String, Integer> map(Map<String, Integer> value);

        Set<String> set(Set<String> value);

        Collection<String> collection(Collection<String> value);

        SortedMap<String, Integer> sortedMap(SortedMap<String, Integer> value);

        NavigableMap<String, Integer> navigableMap(NavigableMap<String, Integer> value);

        TreeMap<String, Integer> treeMap(TreeMap<String, Integer> value);

        SortedSet<String> sortedSet(SortedSet<String> value);

        NavigableSet<String> navigableSet(NavigableSet<String> value);

        TreeSet<String> treeSet(TreeSet<String> value);

        ConcurrentSkipListMap<String, Integer> skipList(ConcurrentSkipListMap<String, Integer> value);

        PriorityQueue<String> priorities(PriorityQueue<String> value);

        Queue<String> queue(Queue<String> value);

        Deque<String> deque(Deque<String> value);

        EnumSet<Mood> enumSet(EnumSet<Mood> value);

        EnumMap<Mood, String> enumMap(EnumMap<Mood, String> value);

        Set<Mood> moods(Set<Mood> value);

        ConcurrentMap<String, Integer> concurrentMap(ConcurrentMap<String, Integer> value);

        BlockingQueue<String> blockingQueue(BlockingQueue<String> value);

        List<Map<String, SortedSet<String>>> nested(List<Map<String, SortedSet<String>>> value);

        List<Set<String>> nestedSets(List<Set<String>> value);

        Kinds kinds(Kinds value);

        Fields fields(Fields value);

        Object any(Object value);
    }

    record Kinds(
            SortedMap<String, List<SortedSet<String>>> sorted,
            Map<Mood, EnumSet<Mood>> enums,
            EnumMap<Mood, Integer> counts) {}

    static class Fields {
        public SortedSet<String> sorted;
        public List<ConcurrentMap<String, EnumSet<Mood>>> maps;
    }

    private static final Comparator<String> BY_LENGTH = Comparator.comparingInt(String::length);

    static Stream<Arguments> formatsAndOrders() {
        return Stream.of(Format.values())
                .flatMap(format -> Stream.<Comparator<String>>of(
                                Comparator.naturalOrder(),
                                Comparator.reverseOrder(),
                                String.CASE_INSENSITIVE_ORDER,
                                Collections.reverseOrder(String.CASE_INSENSITIVE_ORDER))
                        .map(order -> Arguments.of(format, order)));
    }

    private static <T> T copy(CodecFixture codec, String method, T value) {
        @SuppressWarnings("unchecked")
        T argument = (T) codec.copyArguments(method, value)[0];
        @SuppressWarnings("unchecked")
        T result = (T) codec.copyResult(method, value);
        assertThat(result.getClass()).isEqualTo(argument.getClass());
        return result;
    }

    private static <M extends SortedMap<String, Integer>> M filled(M map) {
        map.put("b", 1);
        map.put("A", 2);
        map.put("c", null);
        return map;
    }

    private static <S extends Collection<String>> S filled(S set) {
        set.addAll(List.of("bb", "A", "ccc"));
        return set;
    }

    @ParameterizedTest
    @MethodSource("formatsAndOrders")
    void shouldKeepKnownComparatorsIfASortedTypeIsDeclared(Format format, Comparator<String> order) {
        CodecFixture codec = format.fixture(Containers.class);
        for (String method : List.of("sortedMap", "navigableMap", "treeMap", "map")) {
            for (TreeMap<String, Integer> map :
                    List.of(filled(new TreeMap<>(order)), new TreeMap<String, Integer>(order))) {
                Map<String, Integer> copy = copy(codec, method, map);
                assertThat(copy).isEqualTo(map);
                assertThat(List.copyOf(copy.keySet())).isEqualTo(List.copyOf(map.keySet()));
                if (copy instanceof TreeMap<String, Integer> sorted) {
                    assertThat(sorted.containsKey("a")).isEqualTo(map.containsKey("a"));
                    sorted.put("B", 5);
                    map.put("B", 5);
                    assertThat(List.copyOf(sorted.keySet())).isEqualTo(List.copyOf(map.keySet()));
                } else {
                    assertThat(method).isEqualTo("map");
                }
            }
        }
        for (String method : List.of("sortedSet", "navigableSet", "treeSet")) {
            TreeSet<String> copy = copy(codec, method, filled(new TreeSet<>(order)));
            TreeSet<String> same = filled(new TreeSet<>(order));
            copy.add("B");
            same.add("B");
            assertThat(List.copyOf(copy)).isEqualTo(List.copyOf(same));
        }
        Map<String, Integer> skipList = new LinkedHashMap<>(Map.of("x", 1));
        ConcurrentSkipListMap<String, Integer> list = new ConcurrentSkipListMap<>(order);
        list.putAll(skipList);
        list.put("Y", 2);
        assertThat(copy(codec, "skipList", list).firstKey()).isEqualTo(list.firstKey());
    }

    @ParameterizedTest
    @MethodSource("formatsAndOrders")
    void shouldKeepTheOrderOfAPriorityQueue(Format format, Comparator<String> order) {
        CodecFixture codec = format.fixture(Containers.class);
        PriorityQueue<String> queue = filled(new PriorityQueue<>(order));
        PriorityQueue<String> copy = copy(codec, "priorities", queue);
        copy.add("B");
        queue.add("B");
        while (!queue.isEmpty()) {
            assertThat(copy.poll()).isEqualTo(queue.poll());
        }
        assertThat(copy).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void shouldKeepTheOrderOfOtherComparatorsIfNoSortedTypeIsDeclared(Format format) {
        CodecFixture codec = format.fixture(Containers.class);
        TreeMap<String, Integer> map = new TreeMap<>(BY_LENGTH);
        map.putAll(Map.of("ccc", 1, "a", 2, "bb", 3));
        Map<String, Integer> linked = ContainerKindsTest.<Map<String, Integer>>copy(codec, "map", map);
        assertThat(linked).isEqualTo(map).isInstanceOf(LinkedHashMap.class);
        assertThat(List.copyOf(linked.keySet())).containsExactly("a", "bb", "ccc");
        TreeSet<String> set = filled(new TreeSet<>(BY_LENGTH));
        assertThat(ContainerKindsTest.<Set<String>>copy(codec, "set", set))
                .isInstanceOf(LinkedHashSet.class)
                .containsExactly("A", "bb", "ccc");
        assertThat(ContainerKindsTest.<Collection<String>>copy(codec, "collection", set))
                .containsExactly("A", "bb", "ccc");
        assertThat(ContainerKindsTest.<Collection<String>>copy(codec, "any", set))
                .isInstanceOf(LinkedHashSet.class)
                .hasSize(3);
        if (format == Format.REFERENCES) {
            return; // Kryo writes these elements without their declared type.
        }
        Collection<?> inside = ContainerKindsTest.<List<Set<String>>>copy(codec, "nestedSets", List.of(set))
                .getFirst();
        assertThat(List.<Object>copyOf(inside)).isEqualTo(List.of("A", "bb", "ccc"));
    }

    @ParameterizedTest
    @EnumSource
    void whenASortedTypeIsDeclaredThenOtherComparatorsAreRejected(Format format) {
        CodecFixture codec = format.fixture(Containers.class);
        TreeSet<String> set = filled(new TreeSet<>(BY_LENGTH));
        for (String method : List.of("sortedSet", "navigableSet", "treeSet")) {
            assertThatExceptionOfType(RdmaSerializationException.class)
                    .isThrownBy(() -> codec.copyArguments(method, set))
                    .havingRootCause()
                    .withMessageContaining("has a custom comparator, which is not serializable");
        }
        assertThatExceptionOfType(RdmaSerializationException.class)
                .isThrownBy(() -> codec.copyArguments("sortedMap", new TreeMap<>(BY_LENGTH)))
                .havingRootCause()
                .withMessageContaining("has a custom comparator");
        assertThatExceptionOfType(RdmaSerializationException.class)
                .isThrownBy(() -> codec.copyArguments("nested", List.of(Map.of("k", set))))
                .havingRootCause()
                .withMessageContaining("has a custom comparator");
        assertThatExceptionOfType(RdmaSerializationException.class)
                .isThrownBy(() -> codec.copyArguments("priorities", new PriorityQueue<>(BY_LENGTH)))
                .havingRootCause()
                .withMessageContaining("has a custom comparator");
        assertThat(copy(codec, "set", Set.of("works again"))).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource
    void shouldSerializeContainersOfEnums(Format format) {
        CodecFixture codec = format.fixture(Containers.class);
        for (EnumSet<Mood> set : List.of(EnumSet.allOf(Mood.class), EnumSet.of(Mood.BAD), EnumSet.noneOf(Mood.class))) {
            EnumSet<Mood> copy = copy(codec, "enumSet", set);
            assertThat(copy).isEqualTo(set);
            copy.add(Mood.GOOD);
            assertThat(ContainerKindsTest.<Set<Mood>>copy(codec, "moods", set)).isEqualTo(set);
        }
        EnumMap<Mood, String> map = new EnumMap<>(Mood.class);
        copy(codec, "enumMap", map).put(Mood.GOOD, "fits");
        map.put(Mood.BAD, null);
        map.put(Mood.GOOD, "good");
        assertThat(copy(codec, "enumMap", map)).isEqualTo(map);
        assertThat(codec.copyResult("enumMap", null)).isNull();
        assertThat(codec.copyResult("enumSet", null)).isNull();
    }

    @ParameterizedTest
    @EnumSource
    void shouldSerializeConcurrentContainersIfTheyAreDeclared(Format format) {
        CodecFixture codec = format.fixture(Containers.class);
        ConcurrentMap<String, Integer> map = new ConcurrentHashMap<>(Map.of("a", 1, "b", 2));
        assertThat(ContainerKindsTest.<ConcurrentMap<String, Integer>>copy(codec, "concurrentMap", map))
                .isEqualTo(map);
        assertThat(ContainerKindsTest.<ConcurrentMap<String, Integer>>copy(
                        codec, "concurrentMap", new ConcurrentSkipListMap<>(map)))
                .isEqualTo(map);
        assertThat(List.copyOf(ContainerKindsTest.<BlockingQueue<String>>copy(
                        codec, "blockingQueue", new LinkedBlockingQueue<>(List.of("x", "y")))))
                .containsExactly("x", "y");
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "REFERENCES")
    void shouldUseTheUsualClassIfAnInterfaceIsDeclared(Format format) {
        CodecFixture codec = format.fixture(Containers.class);
        assertThat(ContainerKindsTest.<Map<String, Integer>>copy(codec, "map", new ConcurrentHashMap<>(Map.of("a", 1))))
                .isInstanceOf(LinkedHashMap.class);
        assertThat(ContainerKindsTest.<Map<String, Integer>>copy(codec, "map", new HashMap<>(Map.of("a", 1))))
                .isInstanceOf(LinkedHashMap.class);
        assertThat(ContainerKindsTest.<Set<Mood>>copy(codec, "moods", EnumSet.of(Mood.BAD)))
                .isInstanceOf(LinkedHashSet.class);
        assertThat(List.copyOf(ContainerKindsTest.<BlockingQueue<String>>copy(
                        codec, "blockingQueue", new ArrayBlockingQueue<>(3, false, List.of("x")))))
                .containsExactly("x");
    }

    @ParameterizedTest
    @EnumSource
    void shouldSerializeQueuesWithNullElements(Format format) {
        CodecFixture codec = format.fixture(Containers.class);
        LinkedList<String> list = new LinkedList<>();
        list.add("a");
        list.add(null);
        for (String method : List.of("queue", "deque")) {
            Queue<String> copy = ContainerKindsTest.<Queue<String>>copy(codec, method, list);
            assertThat(copy).containsExactly("a", null);
            assertThat(List.copyOf(
                            ContainerKindsTest.<Queue<String>>copy(codec, method, new ArrayDeque<>(List.of("x", "y")))))
                    .containsExactly("x", "y");
        }
        PriorityQueue<String> priorities = filled(new PriorityQueue<>(Comparator.<String>reverseOrder()));
        Queue<String> copy = ContainerKindsTest.<Queue<String>>copy(codec, "queue", priorities);
        assertThat(copy.poll()).isEqualTo("ccc");
        assertThat(copy.poll()).isEqualTo("bb");
    }

    @ParameterizedTest
    @EnumSource
    void shouldKeepKindsInRecordsAndClasses(Format format) {
        CodecFixture codec = format.fixture(Containers.class);
        TreeMap<String, List<SortedSet<String>>> sorted = new TreeMap<>(Comparator.<String>reverseOrder());
        sorted.put("k", List.of(filled(new TreeSet<>(String.CASE_INSENSITIVE_ORDER))));
        sorted.put("l", List.of());
        Kinds kinds =
                new Kinds(sorted, Map.of(Mood.BAD, EnumSet.noneOf(Mood.class)), new EnumMap<>(Map.of(Mood.GOOD, 1)));
        Kinds copy = copy(codec, "kinds", kinds);
        assertThat(copy).isEqualTo(kinds);
        assertThat(copy.sorted().firstKey()).isEqualTo("l");
        assertThat(copy.sorted().get("k").getFirst().contains("BB")).isTrue();
        EnumSet<Mood> enums = copy.enums().get(Mood.BAD);
        enums.add(Mood.BAD);
        Fields fields = new Fields();
        fields.sorted = filled(new TreeSet<>(String.CASE_INSENSITIVE_ORDER));
        fields.maps = List.of(new ConcurrentHashMap<>(Map.of("k", EnumSet.of(Mood.BAD))));
        Fields read = copy(codec, "fields", fields);
        assertThat(read.sorted.contains("BB")).isTrue();
        ConcurrentMap<String, EnumSet<Mood>> map = read.maps.getFirst();
        EnumSet<Mood> inside = map.get("k");
        assertThat(inside).containsExactly(Mood.BAD);
    }

    @Test
    void whenASortedContainerOfJsonHasExtraValuesThenTheMessageIsRejected() {
        CodecFixture json = Format.JSON.fixture(Containers.class);
        byte[] map = "[[\"reverse\",{\"a\":1},{\"b\":2}]]".getBytes(StandardCharsets.US_ASCII);
        byte[] set = "[{\"reverse\":[\"a\"],\"natural\":[\"b\"]}]".getBytes(StandardCharsets.US_ASCII);
        assertThatExceptionOfType(RdmaSerializationException.class)
                .isThrownBy(() -> json.readArguments("sortedMap", map))
                .withMessageContaining("more values in a sorted container than its order and its entries");
        assertThatExceptionOfType(RdmaSerializationException.class)
                .isThrownBy(() -> json.readArguments("sortedSet", set))
                .withMessageContaining("more values in a sorted container than its order and its entries");
    }

    @RdmaService
    interface Calendars {
        Calendar when();
    }

    @RdmaService
    interface Identities {
        IdentityHashMap<String, String> map();
    }

    @ParameterizedTest
    @EnumSource
    void whenATypeIsNotSerializableThenItIsRejectedWithTheAlternative(Format format) {
        assertThatExceptionOfType(RdmaInvalidServiceException.class)
                .isThrownBy(() -> format.fixture(Calendars.class))
                .withMessageContaining("Use java.time.ZonedDateTime");
        assertThatExceptionOfType(RdmaInvalidServiceException.class)
                .isThrownBy(() -> format.fixture(Identities.class))
                .withMessageContaining("Declare Map");
    }
}
