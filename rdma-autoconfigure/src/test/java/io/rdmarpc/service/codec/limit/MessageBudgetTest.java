package io.rdmarpc.service.codec.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

import com.esotericsoftware.kryo.serializers.CollectionSerializer.BindCollection;
import com.esotericsoftware.kryo.serializers.DefaultSerializers;
import com.esotericsoftware.kryo.serializers.MapSerializer;
import com.fasterxml.jackson.annotation.JsonCreator;
import io.rdmarpc.annotation.RdmaService;
import io.rdmarpc.service.RdmaSerializationException;
import io.rdmarpc.service.codec.CodecFixture;
import io.rdmarpc.service.codec.Evolution;
import io.rdmarpc.service.codec.RdmaSerializer;
import io.rdmarpc.service.codec.SerializationSettings;
import io.rdmarpc.service.codec.json.JsonRdmaSerializer;
import io.rdmarpc.service.codec.kryo.KryoCustomizer;
import io.rdmarpc.service.codec.kryo.KryoFormats;
import io.rdmarpc.service.contract.RdmaInvalidServiceException;
import java.io.Serial;
import java.lang.Character.UnicodeScript;
import java.lang.management.ManagementFactory;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Hashtable;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.Stack;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.Vector;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.json.JsonMapper;

/** Limits of the cost of a whole message: bytes on the heap, elements, comparisons of keys, digits of numbers. */
class MessageBudgetTest {

    record Point(int x, int y) {}

    record Price(BigDecimal amount, BigInteger units) {}

    record Row(int id, String name, List<Integer> cells, Map<String, String> tags) {}

    static final class Constant {
        public int value;

        @Override
        public int hashCode() {
            return 1;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Constant constant && constant.value == value;
        }
    }

    /** JSON represents it by one number. */
    static final class Numbered {
        public int value;
        transient long a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p;

        Numbered() {}

        @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
        Numbered(int value) {
            this.value = value;
        }
    }

    /** Most of its fields are not in a message. */
    static final class Cached {
        public int value;
        transient long a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p;

        @Override
        public int hashCode() {
            return value;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Cached cached && cached.value == value;
        }
    }

    @RdmaService
    interface Costs {
        List<Numbered> numbered(List<Numbered> values);

        List<Map<String, String>> maps(List<Map<String, String>> maps);

        List<Integer> integers(List<Integer> values);

        List<Long> longs(List<Long> values);

        List<String> texts(List<String> values);

        List<BigDecimal> decimals(List<BigDecimal> values);

        List<BigInteger> wholes(List<BigInteger> values);

        List<Point> points(List<Point> values);

        List<Row> rows(List<Row> values);

        List<List<Integer>> lists(List<List<Integer>> values);

        List<Optional<Integer>> options(List<Optional<Integer>> values);

        Map<String, String> words(Map<String, String> values);

        Map<Integer, Integer> counts(Map<Integer, Integer> values);

        Set<Integer> numbers(Set<Integer> values);

        Set<Point> keys(Set<Point> keys);

        @SuppressWarnings("NonApiType") // The test needs this class.
        HashSet<Point> plainKeys(HashSet<Point> keys);

        Set<String> names(Set<String> names);

        Map<Point, Integer> byPoint(Map<Point, Integer> values);

        Map<String, Integer> byName(Map<String, Integer> values);

        Map<BigDecimal, Integer> byDecimal(Map<BigDecimal, Integer> values);

        Set<Constant> constants(Set<Constant> values);

        CopyOnWriteArraySet<Integer> scanned(CopyOnWriteArraySet<Integer> values);

        CopyOnWriteArrayList<Integer> copied(CopyOnWriteArrayList<Integer> values);

        List<EnumMap<UnicodeScript, Integer>> byScript(List<EnumMap<UnicodeScript, Integer>> values);

        List<EnumSet<UnicodeScript>> scripts(List<EnumSet<UnicodeScript>> values);

        List<Cached> cached(List<Cached> values);

        List<LinkedBlockingQueue<Integer>> queues(List<LinkedBlockingQueue<Integer>> values);

        BigDecimal money(BigDecimal amount);

        BigInteger whole(BigInteger amount);

        Price price(Price price);

        Object any(Object value);
    }

    /** The formats that read a message. */
    enum Way {
        GENERATED {
            @Override
            RdmaSerializer serializer(SerializationSettings settings) {
                return kryo(settings, true);
            }
        },
        REFLECTIVE {
            @Override
            RdmaSerializer serializer(SerializationSettings settings) {
                return kryo(settings, false);
            }
        },
        EVOLVING {
            @Override
            RdmaSerializer serializer(SerializationSettings settings) {
                return kryo(settings.withEvolution(Evolution.COMPATIBLE), true);
            }
        },
        REFERENCES {
            @Override
            RdmaSerializer serializer(SerializationSettings settings) {
                return kryo(settings, true, kryo -> kryo.setReferences(true));
            }
        },
        JSON {
            @Override
            RdmaSerializer serializer(SerializationSettings settings) {
                return new JsonRdmaSerializer(JsonMapper.builder().build(), settings);
            }
        };

        abstract RdmaSerializer serializer(SerializationSettings settings);

        CodecFixture codec() {
            return codec(SerializationSettings.DEFAULTS);
        }

        CodecFixture codec(SerializationSettings settings) {
            return new CodecFixture(Costs.class, serializer(settings));
        }

        private static RdmaSerializer kryo(
                SerializationSettings settings, boolean generated, KryoCustomizer... customizers) {
            return KryoFormats.kryo(Costs.class.getClassLoader(), List.of(customizers), settings, generated);
        }
    }

    private static SerializationSettings settings(int maxElements, int maxExpansion) {
        return new SerializationSettings(
                Evolution.NONE, 256, maxElements, Integer.MAX_VALUE, maxExpansion, 64, 10_000, 65_536);
    }

    private static void isRejected(CodecFixture codec, String method, Object value, String... words) {
        byte[] message = codec.arguments(method, value);
        assertThatExceptionOfType(RdmaSerializationException.class)
                .isThrownBy(() -> codec.readArguments(method, message))
                .withMessageContaining("cannot read the arguments of ")
                .withMessageContainingAll(words);
    }

    private static void arrives(CodecFixture codec, String method, Object value) {
        assertThat(codec.copyArguments(method, value)[0]).isEqualTo(value);
    }

    /** Elements that the sender does not hash. */
    private static <T> Set<T> setOf(int count, IntFunction<T> element) {
        return new AbstractSet<>() {
            @Override
            public int size() {
                return count;
            }

            @Override
            public Iterator<T> iterator() {
                return IntStream.range(0, count).mapToObj(element).iterator();
            }
        };
    }

    private static <K> Map<K, Integer> mapOf(int count, IntFunction<K> key) {
        return new AbstractMap<>() {
            @Override
            public Set<Entry<K, Integer>> entrySet() {
                return setOf(count, i -> Map.entry(key.apply(i), 1));
            }
        };
    }

    private static <T> List<T> listOf(int count, IntFunction<T> element) {
        return IntStream.range(0, count).mapToObj(element).toList();
    }

    /** The hash code of a record of two ints is 31 times the first one plus the second one. */
    private static Point colliding(int number) {
        return new Point(number, -31 * number);
    }

    /** "Aa" and "BB" have the same hash code, and so have all strings of 16 such pairs. */
    private static String collidingText(int number) {
        StringBuilder text = new StringBuilder();
        for (int bit = 0; bit < 16; bit++) {
            text.append((number >> bit & 1) == 0 ? "Aa" : "BB");
        }
        return text.toString();
    }

    private static long allocated() {
        return ((com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
    }

    @ParameterizedTest
    @EnumSource
    void shouldRejectEmptyMapsBeforeTheyFillTheHeap(Way way) {
        // With references each map takes three bytes instead of two.
        CodecFixture codec =
                way.codec(way == Way.REFERENCES ? settings(10_000_000, 16) : SerializationSettings.DEFAULTS);
        byte[] message = codec.arguments("maps", listOf(1_000_000, i -> new HashMap<>()));
        long before = allocated();
        assertThatExceptionOfType(RdmaSerializationException.class)
                .isThrownBy(() -> codec.readArguments("maps", message))
                .withMessageContaining("bytes on the heap")
                .withMessageContaining(" for each byte, plus 1048576 for each message; raise"
                        + " rdma.serialization.max-expansion, or send less");
        assertThat(allocated() - before).as("of 60 MB").isLessThan(30 << 20);
        arrives(codec, "maps", List.of(Map.of("k", "v"), Map.of()));
    }

    /** A map has a reference for each constant of its enum, which the message does not contain. */
    @ParameterizedTest
    @EnumSource
    void shouldRejectMapsOfEnumsBeforeTheyFillTheHeap(Way way) {
        CodecFixture codec = way.codec();
        byte[] message = codec.arguments("byScript", listOf(50_000, _ -> new EnumMap<>(UnicodeScript.class)));
        long before = allocated();
        assertThatExceptionOfType(RdmaSerializationException.class)
                .isThrownBy(() -> codec.readArguments("byScript", message))
                .withMessageContaining("bytes on the heap")
                .withMessageContaining("max-expansion");
        assertThat(allocated() - before).as("of 37 MB").isLessThan(4 << 20);
        EnumMap<UnicodeScript, Integer> full = new EnumMap<>(UnicodeScript.class);
        for (UnicodeScript each : UnicodeScript.values()) {
            full.put(each, 1);
        }
        arrives(codec, "byScript", listOf(2_000, _ -> full));
    }

    /** A set has a bit for each constant. */
    @ParameterizedTest
    @EnumSource
    void shouldRejectSetsOfEnumsBeforeTheyFillTheHeap(Way way) {
        CodecFixture codec = way.codec(settings(10_000_000, 8));
        isRejected(
                codec,
                "scripts",
                listOf(50_000, _ -> EnumSet.noneOf(UnicodeScript.class)),
                "bytes on the heap",
                "max-expansion");
        arrives(codec, "scripts", listOf(2_000, _ -> EnumSet.allOf(UnicodeScript.class)));
    }

    @ParameterizedTest
    @EnumSource
    void shouldRejectObjectsWhoseFieldsAreNotInTheMessage(Way way) {
        CodecFixture codec = way.codec(settings(10_000_000, 8));
        int many = 30_000;
        byte[] message = way == Way.JSON
                ? ("[[{}" + ",{}".repeat(many) + "]]").getBytes(StandardCharsets.US_ASCII)
                : codec.arguments("cached", listOf(many, _ -> new Cached()));
        assertThatExceptionOfType(RdmaSerializationException.class)
                .isThrownBy(() -> codec.readArguments("cached", message))
                .withMessageContaining("bytes on the heap")
                .withMessageContaining("max-expansion");
        arrives(codec, "cached", listOf(2_000, _ -> new Cached()));
    }

    @Test
    void shouldChargeObjectsOfJsonForFieldsThatAreNotInTheMessage() {
        CodecFixture codec = Way.JSON.codec(settings(10_000_000, 40));
        byte[] message = ("[[{}" + ",{}".repeat(100_000) + "]]").getBytes(StandardCharsets.US_ASCII);
        assertThatNoException().isThrownBy(() -> codec.readArguments("maps", message));
        assertThatExceptionOfType(RdmaSerializationException.class)
                .isThrownBy(() -> codec.readArguments("cached", message))
                .withMessageContaining("max-expansion");
    }

    @Test
    void shouldChargeObjectsOfJsonThatAreMadeFromAScalar() {
        CodecFixture codec = Way.JSON.codec(settings(10_000_000, 40));
        byte[] message = ("[[1" + ",1".repeat(100_000) + "]]").getBytes(StandardCharsets.US_ASCII);
        assertThatNoException().isThrownBy(() -> codec.readArguments("integers", message));
        assertThatExceptionOfType(RdmaSerializationException.class)
                .isThrownBy(() -> codec.readArguments("numbered", message))
                .withMessageContaining("max-expansion");
    }

    @ParameterizedTest
    @EnumSource
    void shouldRejectEmptyQueuesWithLocks(Way way) {
        CodecFixture codec = way.codec();
        byte[] message = codec.arguments("queues", listOf(30_000, _ -> new LinkedBlockingQueue<>()));
        assertThatExceptionOfType(RdmaSerializationException.class)
                .isThrownBy(() -> codec.readArguments("queues", message))
                .withMessageContaining("max-expansion");
        Object[] read = codec.copyArguments("queues", List.of(new LinkedBlockingQueue<>(List.of(1, 2))));
        assertThat((List<?>) read[0])
                .singleElement()
                .extracting(Object::toString)
                .isEqualTo("[1, 2]");
    }

    @SuppressWarnings("JdkObsolete") // Applications send these types.
    static Stream<Supplier<Object>> emptyContainers() {
        return Stream.of(
                ArrayList::new,
                () -> new ArrayDeque<>(0),
                LinkedList::new,
                HashSet::new,
                LinkedHashSet::new,
                HashMap::new,
                LinkedHashMap::new,
                TreeSet::new,
                TreeMap::new,
                ConcurrentHashMap::new,
                ConcurrentSkipListMap::new,
                ConcurrentSkipListSet::new,
                LinkedBlockingQueue::new,
                LinkedBlockingDeque::new,
                LinkedTransferQueue::new,
                PriorityQueue::new,
                PriorityBlockingQueue::new,
                Vector::new,
                Stack::new,
                Hashtable::new);
    }

    /** The charge is an estimate, so the test allows a tolerance. */
    @ParameterizedTest
    @MethodSource("emptyContainers")
    void shouldChargeTheAllocationOfAnEmptyContainer(Supplier<Object> maker) {
        int many = 1_000;
        Object[] made = new Object[many];
        long before = allocated();
        for (int i = 0; i < many; i++) {
            made[i] = maker.get();
        }
        double each = (double) (allocated() - before) / many;
        assertThat(1.1 * ContainerCost.of(made[0].getClass()).header())
                .as(made[0].getClass().getSimpleName())
                .isGreaterThanOrEqualTo(each);
    }

    static Stream<Object[]> denseMessages() {
        int many = 300_000;
        return Stream.of(
                new Object[] {"maps", listOf(many / 3, i -> Map.of("id", "1"))},
                new Object[] {"integers", listOf(many, i -> i % 100)},
                new Object[] {"integers", listOf(many, i -> i)},
                new Object[] {"longs", listOf(many, i -> 200L + i % 1000)},
                new Object[] {"texts", listOf(many, i -> String.valueOf(i % 10))},
                new Object[] {"texts", listOf(many, i -> "")},
                new Object[] {"texts", Collections.nCopies(many, null)},
                new Object[] {"decimals", listOf(many, i -> BigDecimal.valueOf(i % 60, 2))},
                new Object[] {"wholes", listOf(many, i -> BigInteger.valueOf(i % 60))},
                new Object[] {"points", listOf(many, i -> new Point(i % 60, i % 7))},
                new Object[] {
                    "rows", listOf(many / 3, i -> new Row(i, "name " + i, List.of(1, 2), Map.of("a", "b", "c", "d")))
                },
                new Object[] {"lists", listOf(many, i -> List.of())},
                new Object[] {"lists", listOf(many, i -> List.of(1, 2, 3))},
                new Object[] {"options", listOf(many, i -> i % 2 == 0 ? Optional.empty() : Optional.of(1))},
                new Object[] {"words", new LinkedHashMap<>(mapOfTexts(many))},
                new Object[] {"counts", new LinkedHashMap<>(mapOf(many, i -> i))},
                new Object[] {"numbers", new LinkedHashSet<>(listOf(many, i -> i))},
                new Object[] {"keys", new LinkedHashSet<>(listOf(many, i -> new Point(i, i % 3)))});
    }

    private static Map<String, String> mapOfTexts(int count) {
        Map<String, String> map = new HashMap<>();
        for (int i = 0; i < count; i++) {
            map.put(Integer.toString(i, 36), "1");
        }
        return map;
    }

    /** Short strings, small numbers and short containers take many times their bytes on the heap. */
    @ParameterizedTest
    @MethodSource("denseMessages")
    void shouldReadDenseMessagesByKryo(String method, Object value) {
        arrives(Way.GENERATED.codec(), method, value);
        arrives(Way.EVOLVING.codec(), method, value);
    }

    @ParameterizedTest
    @MethodSource("denseMessages")
    void shouldReadDenseMessagesByJson(String method, Object value) {
        // Jackson does not support records as keys.
        if (!method.equals("keys")) {
            arrives(Way.JSON.codec(), method, value);
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldLimitTheElementsOfAllContainersTogether(Way way) {
        CodecFixture codec = way.codec(settings(1_000, 24));
        List<List<Integer>> lists = listOf(40, i -> listOf(60, j -> j));
        isRejected(codec, "lists", lists, "rdma.serialization.max-elements");
        arrives(codec, "lists", lists.subList(0, 10));
    }

    @ParameterizedTest
    @EnumSource
    void shouldRejectElementsWhoseHashCodesAreEqual(Way way) {
        CodecFixture codec = way.codec();
        for (String method : List.of("keys", "any")) {
            isRejected(
                    codec,
                    method,
                    setOf(40_000, MessageBudgetTest::colliding),
                    "keys and set elements read so far have so many equal hash codes",
                    "the limit is 64 for each key, plus 100000 for each message; raise"
                            + " rdma.serialization.max-collisions");
        }
        isRejected(codec, "names", setOf(40_000, MessageBudgetTest::collidingText), "max-collisions");
        isRejected(codec, "byName", mapOf(40_000, MessageBudgetTest::collidingText), "max-collisions");
        if (way != Way.JSON) {
            isRejected(codec, "byPoint", mapOf(40_000, MessageBudgetTest::colliding), "max-collisions");
            isRejected(codec, "plainKeys", plainSet(2_000), "max-collisions");
        }
        arrives(codec, "keys", Set.of(new Point(1, 2)));
    }

    private static Set<Point> plainSet(int count) {
        return new HashSet<>(listOf(count, MessageBudgetTest::colliding));
    }

    @ParameterizedTest
    @EnumSource
    void shouldCountTheKeysOfAllContainersOfAMessage(Way way) {
        List<Object> sets = listOf(1_000, i -> setOf(200, MessageBudgetTest::colliding));
        isRejected(way.codec(), "any", sets, "max-collisions");
    }

    /** A grid has 31 equal hash codes for each key. A constant hash code is poor but not hostile. */
    @ParameterizedTest
    @EnumSource
    void shouldReadSetsWithPoorHashCodes(Way way) {
        CodecFixture codec = way.codec();
        arrives(codec, "keys", new LinkedHashSet<>(listOf(160_000, i -> new Point(i / 400, i % 400))));
        arrives(codec, "constants", new LinkedHashSet<>(listOf(300, i -> {
            Constant constant = new Constant();
            constant.value = i;
            return constant;
        })));
    }

    @ParameterizedTest
    @EnumSource
    void shouldCountComparisonsOfCollectionsThatCopyOnWrite(Way way) {
        CodecFixture codec = way.codec();
        Collection<Integer> many = listOf(20_000, i -> i);
        arrives(codec, "copied", new CopyOnWriteArrayList<>(many));
        CopyOnWriteArraySet<Integer> scanned = new CopyOnWriteArraySet<>();
        scanned.addAll(listOf(300, i -> i));
        arrives(codec, "scanned", scanned);
        byte[] set = codec.arguments("numbers", new LinkedHashSet<>(many));
        if (way == Way.JSON) {
            assertThatExceptionOfType(RdmaSerializationException.class)
                    .isThrownBy(() -> codec.readArguments("scanned", set))
                    .withMessageContaining("max-collisions");
        }
        scanned.addAll(listOf(2_000, i -> i));
        isRejected(codec, "scanned", scanned, "max-collisions");
    }

    /** Each level computes the hash codes of its content again. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "JSON")
    void shouldRejectDeeplyNestedSets(Way way) {
        Object nested = new LinkedHashSet<>(listOf(200_000, i -> i));
        for (int level = 0; level < 100; level++) {
            Object inner = nested;
            nested = setOf(1, _ -> inner);
        }
        isRejected(way.codec(), "any", nested, "must be hashed", "16 for each byte");
    }

    @ParameterizedTest
    @EnumSource
    void shouldReadNestedSets(Way way) {
        arrives(way.codec(), "any", Set.of(Set.of(Set.of(new Point(1, 2))), Set.of(Set.of(new Point(3, 4)))));
    }

    @ParameterizedTest
    @EnumSource
    void shouldRejectDecimalsWhoseSumsAreLong(Way way) {
        CodecFixture codec = way.codec();
        for (int scale : new int[] {10_001, -10_001, 40_000_000, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
            BigDecimal decimal = new BigDecimal(BigInteger.TWO, scale);
            // Jackson itself rejects exponents that do not fit.
            String words = Math.abs((long) scale) < 1L << 31 ? "cannot read" : "";
            isRejected(codec, "money", decimal, words);
            isRejected(codec, "price", new Price(decimal, BigInteger.ONE), words);
            isRejected(codec, "decimals", List.of(BigDecimal.ONE, decimal), words);
        }
        isRejected(
                codec,
                "money",
                new BigDecimal(BigInteger.ONE, 40_000_000),
                "a decimal number with a scale of 40000000: the limit is -10000 to 10000; raise"
                        + " rdma.serialization.max-scale, or send less");
        arrives(codec, "money", new BigDecimal(BigInteger.TWO, 10_000));
        arrives(codec, "money", new BigDecimal(BigInteger.TWO, -10_000));
    }

    @Test
    void shouldRejectDecimalsAsKeysOfJson() {
        CodecFixture codec = Way.JSON.codec();
        isRejected(codec, "byDecimal", Map.of(new BigDecimal(BigInteger.ONE, 40_000_000), 1), "max-scale");
        byte[] longKey = ("[{\"" + "1".repeat(20_000) + "\":1}]").getBytes(StandardCharsets.US_ASCII);
        assertThatExceptionOfType(RdmaSerializationException.class)
                .isThrownBy(() -> codec.readArguments("byDecimal", longKey))
                .withMessageContaining("a number of 20000 digits as a key, and the limit is 10000");
        arrives(codec, "byDecimal", Map.of(new BigDecimal("1.5"), 1));
    }

    @ParameterizedTest
    @EnumSource
    void shouldRejectNumbersOfManyBits(Way way) {
        CodecFixture codec = way.codec();
        BigInteger most = BigInteger.ONE.shiftLeft(30_000);
        arrives(codec, "whole", most);
        arrives(codec, "whole", most.negate());
        arrives(codec, "money", new BigDecimal(most, 3));
        if (way == Way.JSON) {
            isRejected(
                    codec,
                    "whole",
                    most.shiftLeft(36_000),
                    "Number value length (19868) exceeds the maximum allowed (10000");
            return;
        }
        BigInteger tooMany = BigInteger.ONE.shiftLeft(65_536);
        arrives(codec, "whole", tooMany.subtract(BigInteger.ONE));
        for (BigInteger each :
                List.of(tooMany, tooMany.negate().subtract(BigInteger.ONE), tooMany.shiftLeft(1 << 20))) {
            String words = " bits: the limit is 65536; raise rdma.serialization.max-integer-bits, or send less";
            isRejected(codec, "whole", each, words);
            isRejected(codec, "money", new BigDecimal(each, 2), words);
            isRejected(codec, "price", new Price(BigDecimal.ONE, each), words);
        }
    }

    static final class OwnTree extends TreeMap<String, Integer> {
        @Serial
        private static final long serialVersionUID = 1L;
    }

    @RdmaService
    interface OwnTrees {
        OwnTree take(OwnTree tree);
    }

    @Test
    void shouldAllowSerializersOfKryoWhoseContainersGrow() {
        assertThatNoException()
                .isThrownBy(() -> new CodecFixture(
                        OwnTrees.class,
                        kryo -> kryo.register(OwnTree.class, new DefaultSerializers.TreeMapSerializer())));
    }

    static final class Annotated {
        @BindCollection(elementClass = String.class, elementsCanBeNull = false)
        public List<String> names = List.of();
    }

    @RdmaService
    interface AnnotatedCosts {
        void take(Annotated value);
    }

    @Test
    void shouldRejectSerializersOfKryoThatAllocateClaimedSizes() {
        assertThatExceptionOfType(RdmaInvalidServiceException.class)
                .isThrownBy(() -> new CodecFixture(AnnotatedCosts.class))
                .withMessageContaining("names uses Kryo's CollectionSerializer, which allocates memory for the number"
                        + " of elements that a message claims");
        assertThatExceptionOfType(RdmaInvalidServiceException.class)
                .isThrownBy(() -> new CodecFixture(
                        Costs.class, kryo -> kryo.register(LinkedHashMap.class, new MapSerializer<>())))
                .withMessageContaining("java.util.LinkedHashMap uses Kryo's MapSerializer");
    }

    /** Creating a coder takes much longer than rejecting a message. */
    @Test
    void shouldKeepTheCoderThatRejectedAMessage() {
        AtomicInteger built = new AtomicInteger();
        CodecFixture codec = new CodecFixture(Costs.class, kryo -> built.incrementAndGet());
        byte[] hostile = codec.arguments("keys", setOf(2_000, MessageBudgetTest::colliding));
        int before = built.get();
        for (int i = 0; i < 20; i++) {
            assertThatExceptionOfType(RdmaSerializationException.class)
                    .isThrownBy(() -> codec.readArguments("keys", hostile));
            arrives(codec, "any", List.of(1, new Point(i, 2)));
        }
        assertThat(built).hasValue(before);
    }

    /** The cost of a message does not count for the next one. */
    @ParameterizedTest
    @EnumSource
    void shouldResetTheBudgetForEachMessage(Way way) {
        CodecFixture codec = way.codec(settings(1_000, 24));
        byte[] message = codec.arguments("lists", listOf(20, i -> listOf(20, j -> j)));
        assertThatNoException().isThrownBy(() -> {
            for (int i = 0; i < 50; i++) {
                codec.readArguments("lists", message);
            }
        });
    }

    @Test
    void shouldCountEqualHashCodes() {
        HashCollisions counter = new HashCollisions();
        for (int round = 0; round < 3; round++) {
            for (int hash = -5_000; hash < 5_000; hash++) {
                assertThat(counter.add(hash)).isEqualTo(round);
            }
        }
        assertThat(counter.add(Integer.MIN_VALUE)).isZero();
        assertThat(counter.add(Integer.MIN_VALUE)).isEqualTo(1);
    }

    @Test
    void shouldEstimateTheHeapSizeOfValues() {
        int reference = 4;
        assertThat(HeapEstimate.of(Point.class)).isEqualTo(reference + 24);
        assertThat(HeapEstimate.of(Long.class)).isEqualTo(reference + 24);
        assertThat(HeapEstimate.of(Integer.class)).isEqualTo(reference + 16);
        assertThat(HeapEstimate.of(BigDecimal.class)).isEqualTo(reference + 40);
        assertThat(HeapEstimate.of(java.time.LocalDateTime.class)).isEqualTo(reference + 3 * 24);
        assertThat(HeapEstimate.of(String.class)).as("charged by the input").isZero();
        assertThat(HeapEstimate.of(ArrayList.class)).as("charged by its cost").isZero();
    }
}
