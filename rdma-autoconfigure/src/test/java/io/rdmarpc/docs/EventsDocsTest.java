package io.rdmarpc.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.lang.annotation.Annotation;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Percentage;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;
import jdk.jfr.Timespan;
import org.junit.jupiter.api.Test;

/** Compares the page of events with the code. {@code -Ddocs.write=true} rewrites it. */
class EventsDocsTest {

    private static final DocsPage PAGE = new DocsPage("reference/events.md");

    private static final List<? extends Class<?>> EVENTS = events();

    private static List<? extends Class<?>> events() {
        return new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests()).importPackages("io.rdmarpc").stream()
                        .filter(type -> type.isAssignableTo(Event.class))
                        .map(JavaClass::reflect)
                        .sorted(Comparator.comparing(EventsDocsTest::name))
                        .toList();
    }

    private static String name(Class<?> event) {
        return annotation(event, Name.class).value();
    }

    private static <A extends Annotation> A annotation(Class<?> event, Class<A> type) {
        A found = event.getAnnotation(type);
        assertThat(found).as("%s of %s", type.getSimpleName(), event).isNotNull();
        return found;
    }

    private static Stream<Field> fields(Class<?> event) {
        return Arrays.stream(event.getDeclaredFields())
                .filter(field -> !Modifier.isStatic(field.getModifiers()) && field.isAnnotationPresent(Label.class));
    }

    @Test
    void shouldListEveryEvent() throws IOException {
        assertThat(PAGE.generated("events", table())).isEqualTo(table());
    }

    private static String table() {
        StringBuilder text = new StringBuilder("\n| event | recorded when | threshold |\n|---|---|---|\n");
        for (Class<?> event : EVENTS) {
            Threshold threshold = event.getAnnotation(Threshold.class);
            text.append("| [`%s`](#%s) | %s | %s |\n"
                    .formatted(
                            name(event),
                            name(event).toLowerCase(Locale.ROOT).replace(".", ""),
                            event.getAnnotation(Description.class).value(),
                            threshold == null ? "none" : threshold.value()));
        }
        return text.append('\n').toString();
    }

    @Test
    void shouldListEveryField() throws IOException {
        assertThat(PAGE.generated("fields", fieldTables())).isEqualTo(fieldTables());
    }

    private static String fieldTables() {
        StringBuilder text = new StringBuilder("\n");
        for (Class<?> event : EVENTS) {
            text.append("### `").append(name(event)).append("`\n\n| field | type | meaning |\n|---|---|---|\n");
            fields(event)
                    .forEach(field -> text.append(
                            "| `%s` | %s | %s |\n".formatted(field.getName(), type(field), meaning(field))));
            text.append('\n');
        }
        return text.toString();
    }

    private static String type(Field field) {
        if (field.isAnnotationPresent(Timespan.class)) {
            return "time";
        }
        if (field.isAnnotationPresent(DataAmount.class)) {
            return "bytes";
        }
        if (field.isAnnotationPresent(Percentage.class)) {
            return "share";
        }
        return field.getType() == String.class ? "text" : "number";
    }

    private static String meaning(Field field) {
        return field.getAnnotation(Description.class).value();
    }

    /** Field by field, so that a field that the table would leave out fails. */
    @Test
    void shouldDescribeEveryEventAndField() {
        assertThat(EVENTS).hasSizeGreaterThan(8).allSatisfy(event -> {
            assertThat(name(event))
                    .isEqualTo("io.rdmarpc." + event.getSimpleName().replaceAll("Event$", ""));
            assertThat(annotation(event, Category.class).value()).containsExactly("RDMA RPC");
            assertThat(annotation(event, Label.class).value()).isNotBlank();
            assertThat(annotation(event, Description.class).value()).satisfies(EventsDocsTest::fitsACell);
            assertThat(annotation(event, StackTrace.class).value())
                    .as("a stack trace costs more than the rest of an event")
                    .isFalse();
            assertThat(event.getDeclaredFields())
                    .filteredOn(field -> !Modifier.isStatic(field.getModifiers()) && !field.isSynthetic())
                    .filteredOn(field -> !addedByTheRecorder(field))
                    .isNotEmpty()
                    .allSatisfy(field -> {
                        assertThat(field.getAnnotation(Label.class))
                                .as(field.toString())
                                .isNotNull();
                        assertThat(field.getAnnotation(Description.class))
                                .as(field.toString())
                                .isNotNull();
                        fitsACell(meaning(field));
                    });
        });
    }

    private static void fitsACell(String description) {
        assertThat(description.split(" ", -1)).as(description).hasSizeLessThanOrEqualTo(15);
    }

    /** The JVM adds fields to classes of events. */
    private static boolean addedByTheRecorder(Field field) {
        return List.of("startTime", "duration", "ev_cfg").contains(field.getName());
    }
}
