package io.rdmarpc.service.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.annotation.RdmaService;
import io.rdmarpc.service.contract.RdmaInvalidServiceException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Fields whose type is a variable of a superclass. */
class InheritedTypesTest {

    @RdmaService
    interface Boxes {

        StringBox strings(StringBox value);

        PointBox points(PointBox value);

        Swapped swapped(Swapped value);

        ArrayBox arrays(ArrayBox value);

        NestedBox nested(NestedBox value);

        BoundedBox bounded(BoundedBox value);

        Named<Leaf> named(Named<Leaf> value);

        Points list(Points value);

        Selfish selfish(Selfish value);
    }

    static class Box<T> {
        public T v;
    }

    static class StringBox extends Box<String> {}

    record Point(int x, int y) {}

    static class Middle<A, B> extends Box<B> {
        public A a;
    }

    static class PointBox extends Middle<Integer, Point> {}

    static class Pair<X, Y> {
        public X x;
        public Y y;
    }

    static class Turned<X, Y> extends Pair<Y, X> {}

    static class Swapped extends Turned<String, Corner> {}

    record Corner(String name) {}

    static class Many<T> {
        public T[] array;
        public List<T>[] lists;
    }

    record Cell(long number) {}

    static class ArrayBox extends Many<Cell> {}

    record Inside(String text) {}

    static class NestedBox extends Box<Map<String, List<? extends Inside>>> {}

    interface Sized {
        int size();
    }

    record Small(int size) implements Sized {}

    static class SizedBox<T extends Sized> {
        public T v;
    }

    static class BoundedBox extends SizedBox<Small> {}

    static class Hidden extends Box<String> {
        @SuppressWarnings({"HidingField", "UnusedVariable"})
        private int v;
    }

    interface HasName<T> {
        T name();
    }

    record Leaf(String text) {}

    record Named<T>(T name, List<T> others) implements HasName<T> {}

    record Element(int number) {}

    public static class Points extends ArrayList<Element> {

        private static final long serialVersionUID = 1L;
    }

    static class Comparing<T extends Comparing<T>> {
        public @Nullable T next;
    }

    static class Selfish extends Comparing<Selfish> {}

    @RdmaService
    interface HiddenFields {

        Hidden hidden(Hidden value);
    }

    private static Object copy(Format format, String method, Object value) {
        return copy(format.fixture(Boxes.class), method, value);
    }

    private static Object copy(CodecFixture codec, String method, Object value) {
        Object result = codec.copyResult(method, value);
        assertThat(codec.copyArguments(method, value)[0])
                .usingRecursiveComparison()
                .isEqualTo(result);
        assertThat(result).usingRecursiveComparison().withStrictTypeChecking().isEqualTo(value);
        return result;
    }

    @ParameterizedTest
    @EnumSource
    void shouldSerializeAVariableThatIsAString(Format format) {
        StringBox box = new StringBox();
        box.v = "text";
        assertThat(((StringBox) copy(format, "strings", box)).v).isEqualTo("text");
        copy(format, "strings", new StringBox());
    }

    @ParameterizedTest
    @EnumSource
    void shouldFindAClassThatFollowsFromSeveralLevels(Format format) {
        PointBox box = new PointBox();
        box.a = 7;
        box.v = new Point(1, 2);
        copy(format, "points", box);
    }

    @ParameterizedTest
    @EnumSource
    void shouldDistinguishVariablesOfTheSameName(Format format) {
        Swapped value = new Swapped();
        value.x = new Corner("x");
        value.y = "y";
        copy(format, "swapped", value);
    }

    @ParameterizedTest
    @EnumSource
    @SuppressWarnings("unchecked")
    void shouldSerializeArraysOfAVariable(Format format) {
        ArrayBox value = new ArrayBox();
        value.array = new Cell[] {new Cell(1), null};
        value.lists = (List<Cell>[]) new List<?>[] {new ArrayList<>(List.of(new Cell(2)))};
        copy(format, "arrays", value);
    }

    @ParameterizedTest
    @EnumSource
    void shouldFindClassesInNestedTypeArguments(Format format) {
        NestedBox value = new NestedBox();
        value.v = new LinkedHashMap<>(Map.of("k", new ArrayList<>(List.of(new Inside("i")))));
        copy(format, "nested", value);
    }

    @ParameterizedTest
    @EnumSource
    void shouldResolveABound(Format format) {
        BoundedBox value = new BoundedBox();
        value.v = new Small(3);
        copy(format, "bounded", value);
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"EVOLVING", "JSON"})
    void shouldDistinguishFieldsOfTheSameName(Format format) {
        Hidden value = new Hidden();
        value.v = 5;
        ((Box<String>) value).v = "of the superclass";
        copy(format.fixture(HiddenFields.class), "hidden", value);
    }

    @ParameterizedTest
    @EnumSource
    void shouldSerializeRecordsThatImplementGenericInterfaces(Format format) {
        copy(format, "named", new Named<>(new Leaf("a"), new ArrayList<>(List.of(new Leaf("b")))));
    }

    @ParameterizedTest
    @EnumSource
    void shouldFindTheElementsOfAContainerClass(Format format) {
        Points points = new Points();
        points.add(new Element(4));
        copy(format, "list", points);
    }

    @ParameterizedTest
    @EnumSource
    void shouldSerializeAVariableThatIsTheClassItself(Format format) {
        Selfish value = new Selfish();
        value.next = new Selfish();
        copy(format, "selfish", value);
    }

    @RdmaService
    interface Strings {
        StringBox box();
    }

    static class Fitted {
        @RdmaService
        interface Numbers {
            NumberBox box();
        }

        static class NumberBox extends Box<Integer> {}
    }

    @Test
    void shouldDescribeTheTypeOfAVariable() {
        assertThat(Format.GENERATED.fixture(Strings.class).codec.contract().types())
                .anySatisfy(type -> assertThat(type.shape()).isEqualTo("class(v: java.lang.String)"));
        assertThat(Format.GENERATED
                        .fixture(Fitted.Numbers.class)
                        .codec
                        .contract()
                        .types())
                .anySatisfy(type -> assertThat(type.shape()).isEqualTo("class(v: java.lang.Integer)"));
    }

    public static class Titled extends ArrayList<String> {

        private static final long serialVersionUID = 1L;

        public String title;
    }

    @RdmaService
    interface Lists {
        Titled titled();
    }

    static class Dice extends Random {

        private static final long serialVersionUID = 1L;

        public int sides;
    }

    @RdmaService
    interface Games {
        Dice dice();
    }

    @ParameterizedTest
    @EnumSource
    void whenAContainerHasFieldsThenItIsRejected(Format format) {
        assertThatExceptionOfType(RdmaInvalidServiceException.class)
                .isThrownBy(() -> format.fixture(Lists.class))
                .withMessageContaining(
                        "Titled extends java.util.ArrayList and is serialized as its elements: its fields title"
                                + " would be lost");
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "JSON")
    void whenASuperclassOfTheJdkHasFieldsThenTheClassIsRejected(Format format) {
        assertThatExceptionOfType(RdmaInvalidServiceException.class)
                .isThrownBy(() -> format.fixture(Games.class))
                .withMessageContaining("Dice extends java.util.Random, whose field");
    }
}
