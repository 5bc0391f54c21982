package io.rdmarpc.service.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import io.rdmarpc.annotation.RdmaService;
import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.service.codec.kryo.KryoCustomizer;
import io.rdmarpc.service.codec.type.TypeNumbers;
import io.rdmarpc.service.contract.RdmaInvalidServiceException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@SuppressWarnings("JdkObsolete")
class ServiceContractTest {

    /** Prints the contract. Run in a separate JVM. */
    static final class Printer {

        public static void main(String[] args) {
            System.out.print(text(new CodecFixture(Catalog.class).codec.contract()));
        }
    }

    static String text(ServiceContract contract) {
        return contract.methods().stream().map(Object::toString).collect(Collectors.joining("\n"))
                + contract.types().stream().map(Object::toString).collect(Collectors.joining("\n"));
    }

    @Test
    void shouldBeEqualInAnotherJvm() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Printer.class.getName())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try (InputStream output = process.getInputStream()) {
            assertThat(new String(output.readAllBytes(), StandardCharsets.UTF_8))
                    .isEqualTo(text(new CodecFixture(Catalog.class).codec.contract()));
        }
        assertThat(process.waitFor()).isZero();
    }

    @Test
    void shouldNameEverySerializableTypeInOrder() {
        List<ServiceContract.Type> types =
                new CodecFixture(Catalog.class).codec.contract().types();
        assertThat(types.getFirst().shape()).isEqualTo("Kryo, form 4, references=false");
        assertThat(types.stream().skip(1).map(ServiceContract.Type::name))
                .isSortedAccordingTo(Comparator.naturalOrder())
                .contains(
                        HashMap.class.getName(),
                        Catalog.Article.class.getName(),
                        Catalog.Article[].class.getName(),
                        Catalog.Both.class.getName(),
                        Catalog.ByName.class.getName(),
                        Catalog.Cursor.class.getName(),
                        Catalog.Kind.class.getName(),
                        Catalog.Kind[].class.getName(),
                        Catalog.Legacy.class.getName(),
                        Catalog.Note.class.getName(),
                        Catalog.Nothing.class.getName(),
                        Catalog.Page.class.getName())
                .doesNotContain(Catalog.Query.class.getName(), Catalog.Empty.class.getName());
    }

    @Test
    void shouldDescribeShapes() {
        assertThat(new CodecFixture(Catalog.class).codec.contract().types())
                .extracting(ServiceContract.Type::shape)
                .contains(
                        "record(text: java.lang.String, parent: io.rdmarpc.service.codec.Catalog$Note)",
                        "record(items: java.util.List<T>, number: int,"
                                + " next: java.util.Optional<io.rdmarpc.service.codec.Catalog$Cursor>)",
                        "enum(BOOK, FILM)",
                        "array of io.rdmarpc.service.codec.Catalog$Article",
                        "class(code: int, next: io.rdmarpc.service.codec.Catalog$Legacy, text: java.lang.String)");
    }

    interface Animal {}

    record Dog(String name, Collar collar) implements Animal {}

    record Collar(String color) {}

    @RdmaService
    interface Zoo {
        Animal animal(Animal animal);
    }

    @Test
    void whenAnInterfaceIsOpenThenItIsRejected() {
        assertThatExceptionOfType(RdmaInvalidServiceException.class)
                .isThrownBy(() -> new CodecFixture(Zoo.class))
                .withMessageContaining("parameter 1 of " + Zoo.class.getName() + ".animal leads to "
                        + Animal.class.getName() + ", which has no known implementations")
                .withMessageContaining("Make it sealed");
    }

    @Test
    void shouldRegisterImplementationsOfCustomizersWithTheirComponents() {
        CodecFixture zoo = new CodecFixture(Zoo.class, kryo -> kryo.register(Dog.class));
        Dog dog = new Dog("Rex", new Collar("red"));
        assertThat(zoo.copyArguments("animal", dog)).containsExactly(dog);
        assertThat(zoo.codec.contract().types())
                .extracting(type -> type.name().replaceAll(".*[$]", "") + " " + type.shape())
                .containsExactly(
                        "(serializer) Kryo, form 4, references=false",
                        "Collar record(color: java.lang.String)",
                        "Dog record(name: java.lang.String, collar: " + Collar.class.getName() + ")");
    }

    static final class DogSerializer extends Serializer<Dog> {

        @Override
        public void write(Kryo kryo, Output output, Dog dog) {
            output.writeString(dog.name());
        }

        @Override
        public Dog read(Kryo kryo, Input input, Class<? extends Dog> type) {
            return new Dog(input.readString(), new Collar("any"));
        }
    }

    @Test
    void shouldDescribeCustomSerializersInTheContract() {
        CodecFixture one = new CodecFixture(Zoo.class, kryo -> kryo.register(Dog.class, new DogSerializer()));
        assertThat(one.copyArguments("animal", new Dog("Rex", null)))
                .containsExactly(new Dog("Rex", new Collar("any")));
        assertThat(text(one.codec.contract())).contains("written by " + DogSerializer.class.getName());
    }

    @Test
    void shouldNotDependOnTheOrderOfCustomizers() {
        KryoCustomizer dog = kryo -> kryo.register(Dog.class);
        KryoCustomizer text = kryo -> kryo.register(StringBuilder.class);
        CodecFixture one = new CodecFixture(Zoo.class, dog, text);
        CodecFixture other = new CodecFixture(Zoo.class, text, dog);
        Dog rex = new Dog("Rex", new Collar("red"));
        assertThat(text(one.codec.contract())).isEqualTo(text(other.codec.contract()));
        assertThat(other.readArguments("animal", one.arguments("animal", rex))).containsExactly(rex);
    }

    @Test
    void shouldKeepExplicitNumbers() {
        CodecFixture zoo = new CodecFixture(Zoo.class, kryo -> kryo.register(Dog.class, TypeNumbers.FIRST_SERVICE_ID));
        byte[] message = zoo.arguments("animal", new Dog("R", null));
        assertThat(message[0]).isEqualTo((byte) (TypeNumbers.FIRST_SERVICE_ID + 2));
        assertThat(zoo.readArguments("animal", message)).containsExactly(new Dog("R", null));
    }

    @Test
    void whenACustomizerIsNotDeterministicThenItIsRejected() {
        boolean[] again = {false};
        KryoCustomizer moody = kryo -> {
            kryo.register(again[0] ? StringBuilder.class : Dog.class);
            again[0] = true;
        };
        assertThatExceptionOfType(RdmaInvalidServiceException.class)
                .isThrownBy(() -> new CodecFixture(Zoo.class, moody))
                .withMessageContaining(
                        "registers java.lang.StringBuilder, which it did not register in its first call");
    }

    @RdmaService
    interface Sockets {
        void take(Socket socket);
    }

    @RdmaService
    interface NamedBuffers {
        void take(String name, MessageBuffer buffer);
    }

    @RdmaService
    interface ListedBuffers {
        List<MessageBuffer> all();
    }

    @RdmaService
    interface StreamedBuffers {
        void take(Stream<MessageBuffer> buffers);
    }

    @RdmaService
    interface StreamsOfBuffers {
        Stream<MessageBuffer> all(MessageBuffer first);
    }

    @Test
    void whenATypeMustBeClosedThenItIsRejected() {
        assertThatExceptionOfType(RdmaInvalidServiceException.class)
                .isThrownBy(() -> new CodecFixture(Sockets.class))
                .withMessageContaining(
                        "leads to " + Socket.class.getName() + ", which is a resource that must be closed")
                .withMessageContaining("ByteBuffer");
    }

    @ParameterizedTest
    @ValueSource(classes = {NamedBuffers.class, ListedBuffers.class, StreamedBuffers.class, StreamsOfBuffers.class})
    void whenAMessageBufferIsNotAWholeMessageThenItIsRejected(Class<?> service) {
        assertThatExceptionOfType(RdmaInvalidServiceException.class)
                .isThrownBy(() -> new CodecFixture(service))
                .withMessageContaining(
                        "leads to " + MessageBuffer.class.getName() + ", which is a resource that must be closed")
                .withMessageContaining("the only parameter");
    }

    @Test
    void shouldDescribeReferencesInTheContract() {
        CodecFixture one = new CodecFixture(Catalog.class, kryo -> kryo.setReferences(true));
        assertThat(text(one.codec.contract())).contains("references=true");
        assertThat(one.copyResult("any", List.of("a", "a"))).isEqualTo(List.of("a", "a"));
    }

    @Test
    void whenReferencesAreEnabledThenCyclesAndSharedValuesAreKept() {
        CodecFixture one = new CodecFixture(Catalog.class, kryo -> kryo.setReferences(true));
        List<Object> self = new ArrayList<>();
        self.add(self);
        List<?> copy = (List<?>) one.copyResult("any", self);
        assertThat(copy.get(0)).isSameAs(copy);
        Catalog.Note note = new Catalog.Note("shared", null);
        List<?> notes = (List<?>) one.copyResult("any", List.of(note, note));
        assertThat(notes.get(0)).isSameAs(notes.get(1)).isEqualTo(note);
    }

    static final class UpperCase extends Serializer<URI> {

        @Override
        public void write(Kryo kryo, Output output, URI uri) {
            output.writeString(uri.toString().toUpperCase(Locale.ROOT));
        }

        @Override
        public URI read(Kryo kryo, Input input, Class<? extends URI> type) {
            return URI.create(input.readString());
        }
    }

    @Test
    void shouldDescribeReplacedSerializersOfStandardTypesInTheContract() {
        CodecFixture one = new CodecFixture(Catalog.class, kryo -> kryo.register(URI.class, new UpperCase()));
        assertThat(one.copyResult("any", URI.create("a:b"))).isEqualTo(URI.create("A:B"));
        assertThat(text(one.codec.contract()))
                .contains("name=java.net.URI, shape=written by " + UpperCase.class.getName());
    }

    record HoldsThread(Thread thread) {}

    @RdmaService
    interface Threads {
        void take(List<HoldsThread> threads);
    }

    @RdmaService
    interface Failures {
        IllegalStateException failure();
    }

    @RdmaService
    @SuppressWarnings("NonApiType")
    interface ArrayQueues {
        ArrayBlockingQueue<Catalog.Kind> kinds();
    }

    @RdmaService
    interface Walking {
        Runnable next();
    }

    @RdmaService
    @SuppressWarnings("NonApiType")
    interface Linked {
        LinkedList<String> list();

        <T extends Comparable<T>> T most(List<T> all);
    }

    @Test
    void whenATypeIsNotSerializableThenItIsRejectedWithItsPlace() {
        assertThatExceptionOfType(RdmaInvalidServiceException.class)
                .isThrownBy(() -> new CodecFixture(Threads.class))
                .withMessageContaining(HoldsThread.class.getName() + ".thread leads to java.lang.Thread");
        assertThatExceptionOfType(RdmaInvalidServiceException.class)
                .isThrownBy(() -> new CodecFixture(Failures.class))
                .withMessageContaining("the result of " + Failures.class.getName() + ".failure");
        assertThatExceptionOfType(RdmaInvalidServiceException.class)
                .isThrownBy(() -> new CodecFixture(ArrayQueues.class))
                .withMessageContaining("Declare the interface, such as List, Set or Map");
        assertThatExceptionOfType(RdmaInvalidServiceException.class)
                .isThrownBy(() -> new CodecFixture(Walking.class))
                .withMessageContaining("java.lang.Runnable, which has no known implementations");
    }

    @Test
    void shouldEndTheTraversalOfRecursiveBounds() {
        CodecFixture linked = new CodecFixture(Linked.class);
        assertThat(linked.copyResult("list", new LinkedList<>(List.of("a"))))
                .isExactlyInstanceOf(LinkedList.class)
                .isEqualTo(List.of("a"));
        assertThat(linked.copyResult("most", 5)).isEqualTo(5);
    }
}
