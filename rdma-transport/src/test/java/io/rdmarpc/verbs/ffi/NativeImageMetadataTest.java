package io.rdmarpc.verbs.ffi;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import io.rdmarpc.verbs.ibverbs.ffi.CompletionEvents;
import io.rdmarpc.verbs.ibverbs.ffi.DataPath;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A native image supports only the shapes of native calls that its metadata lists at build time. */
@DisplayName("Metadata for native images has every shape of native call")
class NativeImageMetadataTest {

    private static final String FILE = "/META-INF/native-image/io.rdmarpc/rdma-transport/reachability-metadata.json";
    private static final String AFFINITY = "io.rdmarpc.rpc.runtime.ffi.CpuAffinity$Calls";
    private static final String YIELD = "io.rdmarpc.rpc.runtime.ffi.CoreYield$Calls";

    private static final String STORES = "io.rdmarpc.verbs.soft.ffi.StreamingStores$Calls";

    private static final Pattern DOWNCALL = Pattern.compile(
            "\"returnType\": \"(.*?)\",\\s*\"parameterTypes\": \\[(.*?)](?:,\\s*\"options\": \\{(.*)})?");

    /** Returns shapes such as "jint(jlong, jint) captureCallState", with options in alphabetical order. */
    private static Set<String> written() throws IOException {
        try (InputStream file = Objects.requireNonNull(NativeImageMetadataTest.class.getResourceAsStream(FILE))) {
            Matcher each = DOWNCALL.matcher(new String(file.readAllBytes(), StandardCharsets.UTF_8));
            Set<String> shapes = new TreeSet<>();
            while (each.find()) {
                List<String> options = new ArrayList<>();
                Matcher option = Pattern.compile("\"(firstVariadicArg|captureCallState|critical)\"")
                        .matcher(each.group(3) == null ? "" : each.group(3));
                while (option.find()) {
                    options.add(option.group(1));
                }
                shapes.add(shape(each.group(1), each.group(2).replace("\"", ""), options));
            }
            return shapes;
        }
    }

    private static String shape(String result, String parameters, List<String> options) {
        return result + "(" + parameters + ") " + options.stream().sorted().collect(Collectors.joining(" "));
    }

    /** Returns the shape without the function. A leading segment is the state for the error number. */
    private static String shape(MethodHandle handle, boolean bound, String... options) {
        MethodType type = bound ? handle.type() : handle.type().dropParameterTypes(0, 1);
        List<String> all = new ArrayList<>(List.of(options));
        if (type.parameterCount() > 0 && type.parameterType(0) == MemorySegment.class) {
            all.add("captureCallState");
            type = type.dropParameterTypes(0, 1);
        }
        String parameters =
                type.parameterList().stream().map(NativeImageMetadataTest::word).collect(Collectors.joining(", "));
        return shape(word(type.returnType()), parameters, all);
    }

    /** Shapes without an error number, in which each segment is an argument. */
    private static String criticalShape(MethodHandle handle) {
        MethodType type = handle.type();
        String parameters =
                type.parameterList().stream().map(NativeImageMetadataTest::word).collect(Collectors.joining(", "));
        return shape(word(type.returnType()), parameters, List.of("critical"));
    }

    private static String word(Class<?> type) {
        return type == MemorySegment.class ? "void*" : type == void.class ? "void" : "j" + type.getName();
    }

    private static Stream<Field> handles(Class<?> holder) {
        return Stream.of(holder.getDeclaredFields()).filter(field -> field.getType() == MethodHandle.class);
    }

    private static MethodHandle value(Field field) {
        try {
            field.setAccessible(true);
            return (MethodHandle) field.get(null);
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }

    private static String[] optionsOf(Field field) {
        // Polling is always a critical call; posting is one if it needs no system call.
        boolean critical =
                field.getName().endsWith("IN_USER_SPACE") || field.getName().equals("POLL");
        return critical ? new String[] {"critical"} : new String[0];
    }

    @Test
    void shouldHaveTheShapesOfAllHandles() throws Exception {
        Set<String> used = new TreeSet<>(Set.of(shape(WordCalls.ofAny(), false, "firstVariadicArg")));
        handles(Class.forName(AFFINITY)).forEach(field -> used.add(shape(value(field), true)));
        handles(Class.forName(YIELD)).forEach(field -> used.add(shape(value(field), true)));
        handles(Class.forName(STORES)).forEach(field -> used.add(criticalShape(value(field))));
        handles(CompletionEvents.class).forEach(field -> used.add(shape(value(field), false)));
        handles(DataPath.class).forEach(field -> used.add(shape(value(field), false, optionsOf(field))));

        assertThat(written()).isEqualTo(used);
    }

    @Test
    void shouldListEveryClassThatCreatesHandles() {
        Set<String> makers = new ClassFileImporter()
                .withImportOption(new DoNotIncludeTests()).importPackages("io.rdmarpc").stream()
                        .filter(each -> each.getMethodCallsFromSelf().stream()
                                .anyMatch(call -> call.getTargetOwner().isEquivalentTo(Linker.class)
                                        && call.getName().matches("downcallHandle|upcallStub")))
                        .map(JavaClass::getName)
                        .collect(Collectors.toCollection(TreeSet::new));

        assertThat(makers)
                .containsExactlyInAnyOrder(
                        WordCalls.class.getName(),
                        AFFINITY,
                        YIELD,
                        STORES,
                        CompletionEvents.class.getName(),
                        DataPath.class.getName());
    }
}
