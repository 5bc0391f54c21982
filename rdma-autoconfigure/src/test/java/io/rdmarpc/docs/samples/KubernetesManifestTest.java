package io.rdmarpc.docs.samples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.yaml.snakeyaml.Yaml;

@DisplayName("The sample manifests are valid by the schemas that Kubernetes publishes")
class KubernetesManifestTest {

    /** The schemas of version 1, which all kinds of the manifest have. */
    private static final String MODELS = "io.kubernetes.client.openapi.models.V1";

    private static final Path MANIFESTS = Path.of("../config/kubernetes/orders.yml");

    /**
     * Rejects unknown fields, missing required fields, and wrong kinds of values. Uses reflection, because javac warns of
     * the schemas' annotations, whose library is not among the dependencies.
     */
    private static void validate(JsonObject manifest) throws ReflectiveOperationException {
        String schema = MODELS + manifest.get("kind").getAsString();
        try {
            Class.forName(schema)
                    .getMethod("validateJsonElement", JsonElement.class)
                    .invoke(null, manifest);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof IllegalArgumentException invalid) {
                throw invalid;
            }
            throw e;
        }
    }

    private static Stream<JsonObject> manifests() throws IOException {
        Iterable<Object> documents = new Yaml().loadAll(Files.readString(MANIFESTS));
        return StreamSupport.stream(documents.spliterator(), false)
                .map(document -> new Gson().toJsonTree(document).getAsJsonObject());
    }

    private static JsonObject manifest(String kind) throws IOException {
        return manifests()
                .filter(manifest -> manifest.get("kind").getAsString().equals(kind))
                .findFirst()
                .orElseThrow();
    }

    private static JsonObject container(JsonObject deployment) {
        return deployment
                .getAsJsonObject("spec")
                .getAsJsonObject("template")
                .getAsJsonObject("spec")
                .getAsJsonArray("containers")
                .get(0)
                .getAsJsonObject();
    }

    @TestFactory
    Stream<DynamicTest> shouldBeValid() throws IOException {
        return manifests().map(manifest -> dynamicTest(manifest.get("kind").getAsString(), () -> validate(manifest)));
    }

    @Test
    void shouldHaveVersionOne() throws IOException {
        assertThat(manifests().map(manifest -> manifest.get("apiVersion").getAsString()))
                .isNotEmpty()
                .allMatch(version -> version.matches("(apps/)?v1"));
    }

    @Test
    void whenAFieldIsUnknownThenItIsRejected() throws IOException {
        JsonObject deployment = manifest("Deployment");
        container(deployment).addProperty("imgae", "orders:1");

        assertThatIllegalArgumentException()
                .isThrownBy(() -> validate(deployment))
                .withMessageContaining("imgae");
    }

    @Test
    void whenARequiredFieldIsMissingThenItIsRejected() throws IOException {
        JsonObject deployment = manifest("Deployment");
        container(deployment).remove("name");

        assertThatIllegalArgumentException()
                .isThrownBy(() -> validate(deployment))
                .withMessageContaining("name");
    }
}
