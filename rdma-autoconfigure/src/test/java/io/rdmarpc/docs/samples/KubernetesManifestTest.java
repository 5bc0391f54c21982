package io.rdmarpc.docs.samples;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1Secret;
import io.kubernetes.client.openapi.models.V1Service;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.yaml.snakeyaml.Yaml;

@DisplayName("The sample manifests are valid by the schemas that Kubernetes publishes")
class KubernetesManifestTest {

    private static final Path MANIFESTS = Path.of("../config/kubernetes/orders.yml");

    /** Rejects unknown fields, missing required fields, and wrong kinds of values. */
    @FunctionalInterface
    private interface Schema {
        void validate(JsonElement manifest) throws IOException;
    }

    private static final Map<String, Schema> SCHEMAS = Map.of(
            "v1/ConfigMap", V1ConfigMap::validateJsonElement,
            "v1/Secret", V1Secret::validateJsonElement,
            "v1/Service", V1Service::validateJsonElement,
            "apps/v1/Deployment", V1Deployment::validateJsonElement);

    private static void validate(JsonObject manifest) throws IOException {
        String type = manifest.get("apiVersion").getAsString() + "/" + manifest.get("kind").getAsString();
        Schema schema = SCHEMAS.get(type);
        if (schema == null) {
            throw new IllegalArgumentException("the test has no schema for " + type);
        }
        schema.validate(manifest);
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
