package io.rdmarpc.service.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.service.RdmaSerializationException;
import io.rdmarpc.service.codec.kryo.KryoRdmaSerializer;
import io.rdmarpc.service.contract.RdmaInvalidServiceException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Two versions of the same classes in two class loaders, like two processes. */
class EvolutionTest {

    private static final String SERVICE = "@RdmaService interface Orders { Object swap(Order order); }\n";

    private static final ClassLoader OLD = Sources.compile(SERVICE
            + "record Order(String id, int count, List<Item> items, Legacy legacy, Color color, boolean gift) {}\n"
            + "record Item(String name, double price) {}\n"
            + "class Legacy { String text; int gone = 5; Legacy(String text) { this.text = text; }"
            + " public String toString() { return text + \"/\" + gone; } }\n"
            + "enum Color { RED, GREEN }\n");

    private static final ClassLoader NEW = Sources.compile(SERVICE
            + "record Order(long number, List<Item> items, String id, Color color, Item best, Map<String, Tag> tags,"
            + " Legacy legacy, float rate, double weight, short small) {}\n"
            + "record Item(Tag tag, String name) {}\n"
            + "record Tag(String text) {}\n"
            + "class Legacy { String text; String added = \"new\"; Legacy(String text) { this.text = text; }"
            + " public String toString() { return text + \"/\" + added; } }\n"
            + "enum Color { BLUE, GREEN, RED }\n");

    enum Format {
        KRYO,
        JSON;

        CodecFixture of(ClassLoader loader) {
            SerializationSettings settings = SerializationSettings.DEFAULTS.withEvolution(Evolution.COMPATIBLE);
            Class<?> service = Sources.load(loader, "Orders");
            return this == KRYO ? CodecFixture.kryo(service, settings) : CodecFixture.json(service, settings);
        }
    }

    private static Object oldOrder() {
        return Sources.make(
                OLD,
                "Order",
                "o1",
                7,
                List.of(Sources.make(OLD, "Item", "pen", 1.5), Sources.make(OLD, "Item", "ink", 2.5)),
                Sources.make(OLD, "Legacy", "l"),
                Sources.constant(OLD, "Color", "RED"),
                true);
    }

    private static Object newOrder(String color) {
        Object tag = Sources.make(NEW, "Tag", "t");
        return Sources.make(
                NEW,
                "Order",
                9L,
                List.of(Sources.make(NEW, "Item", tag, "pen")),
                "o2",
                Sources.constant(NEW, "Color", color),
                Sources.make(NEW, "Item", null, "best"),
                Map.of("k", tag),
                Sources.make(NEW, "Legacy", "l"),
                1.5f,
                2.5,
                (short) 3);
    }

    @Test
    void shouldReadAnOldMessageWithNewClasses() {
        byte[] message = Format.KRYO.of(OLD).arguments("swap", oldOrder());
        assertThat(Format.KRYO.of(NEW).readArguments("swap", message)[0])
                .hasToString("Order[number=0, items=[Item[tag=null, name=pen], Item[tag=null, name=ink]], id=o1,"
                        + " color=RED, best=null, tags=null, legacy=l/null, rate=0.0, weight=0.0, small=0]");
    }

    @Test
    void shouldReadANewMessageWithOldClasses() {
        byte[] message = Format.KRYO.of(NEW).arguments("swap", newOrder("GREEN"));
        assertThat(Format.KRYO.of(OLD).readArguments("swap", message)[0])
                .hasToString("Order[id=o2, count=0, items=[Item[name=pen, price=0.0]], legacy=l/0, color=GREEN,"
                        + " gift=false]");
    }

    @Test
    void whenAConstantIsUnknownThenItIsNamed() {
        byte[] message = Format.KRYO.of(NEW).arguments("swap", newOrder("BLUE"));
        CodecFixture old = Format.KRYO.of(OLD);
        assertThatExceptionOfType(RdmaSerializationException.class)
                .isThrownBy(() -> old.readArguments("swap", message))
                .withMessageContaining("versions.Color has no constant BLUE in this process");
        assertThat(old.copyArguments("swap", oldOrder())[0])
                .hasToString(oldOrder().toString());
    }

    @Test
    void whenAClassIsUnknownThenItIsRejectedInAPolymorphicSlotOnly() {
        byte[] message = Format.KRYO.of(NEW).result("swap", Sources.make(NEW, "Tag", "t"));
        assertThatExceptionOfType(RdmaSerializationException.class)
                .isThrownBy(() -> Format.KRYO.of(OLD).readResult("swap", message))
                .withMessageContaining("unregistered class");
    }

    @Test
    void whenThereIsNoEvolutionThenTheDescriptionsDiffer() {
        assertThat(CodecFixture.kryo(Sources.load(OLD, "Orders"), SerializationSettings.DEFAULTS)
                        .codec
                        .contract())
                .isNotEqualTo(CodecFixture.kryo(Sources.load(NEW, "Orders"), SerializationSettings.DEFAULTS)
                        .codec
                        .contract());
    }

    @ParameterizedTest
    @EnumSource
    void shouldDescribeEvolvingTypes(Format format) {
        assertThat(Stream.of(OLD, NEW)
                        .flatMap(loader -> format.of(loader).codec.contract().types().stream()
                                .skip(1)))
                .allSatisfy(type -> assertThat(type.shape()).startsWith("evolving "));
        assertThat(format.of(OLD).codec.contract().types().getFirst().shape()).endsWith("evolving");
    }

    @Test
    void shouldEvolveJsonRecords() {
        String service = "@RdmaService interface Orders { Item swap(Item item); }\n";
        ClassLoader before = Sources.compile(service + "record Item(String name, int count) {}\n");
        ClassLoader after = Sources.compile(service + "record Item(List<String> tags, String name) {}\n");
        byte[] old = Format.JSON.of(before).arguments("swap", Sources.make(before, "Item", "pen", 3));
        assertThat(Format.JSON.of(after).readArguments("swap", old)[0]).hasToString("Item[tags=null, name=pen]");
        byte[] young = Format.JSON.of(after).arguments("swap", Sources.make(after, "Item", List.of("x"), "pen"));
        assertThat(Format.JSON.of(before).readArguments("swap", young)[0]).hasToString("Item[name=pen, count=0]");
    }

    @Test
    void whenReferencesAndEvolutionAreEnabledThenTheServiceIsRejected() {
        assertThatExceptionOfType(RdmaInvalidServiceException.class)
                .isThrownBy(() -> new CodecFixture(
                        Catalog.class,
                        new KryoRdmaSerializer(
                                Catalog.class.getClassLoader(),
                                List.of(kryo -> kryo.setReferences(true)),
                                SerializationSettings.DEFAULTS.withEvolution(Evolution.COMPATIBLE))))
                .withMessageContaining("rdma.serialization.evolution");
    }

    @Test
    void whenAMemberIsTruncatedThenTheMessageIsRejected() {
        byte[] message = Format.KRYO.of(NEW).arguments("swap", newOrder("RED"));
        CodecFixture old = Format.KRYO.of(OLD);
        for (int length = 0; length < message.length; length++) {
            byte[] cut = Arrays.copyOf(message, length);
            assertThatExceptionOfType(RdmaSerializationException.class)
                    .isThrownBy(() -> old.readArguments("swap", cut));
        }
    }
}
