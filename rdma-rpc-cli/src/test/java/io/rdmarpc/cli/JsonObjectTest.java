package io.rdmarpc.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

@DisplayName("A JSON object")
class JsonObjectTest {

    private static JsonNode parse(JsonObject object) {
        return new JsonMapper().readTree(object.text());
    }

    @Test
    void shouldContainEachCharacterOfAText() {
        StringBuilder all = new StringBuilder();
        for (char c = 0; c < 0x300; c++) {
            all.append(c);
        }
        String text = all.append("\ud83d\ude00 \u2028 \uffff").toString();
        JsonObject object = new JsonObject().put("text", text).put("\"\n", "name");

        assertThat(parse(object).get("text").asString()).isEqualTo(text);
        assertThat(parse(object).get("\"\n").asString()).isEqualTo("name");
        assertThat(object.text()).matches("\\p{ASCII}*");
    }

    @Test
    void shouldContainNumbersListsAndObjects() {
        JsonObject object = new JsonObject()
                .put("long", Long.MIN_VALUE)
                .put("double", 2.5)
                .put("none", List.of())
                .put("texts", List.of("a", "b"))
                .put("objects", List.of(new JsonObject(), new JsonObject().put("deep", List.of(new JsonObject()))));

        JsonNode parsed = parse(object);

        assertThat(parsed.get("long").asLong()).isEqualTo(Long.MIN_VALUE);
        assertThat(parsed.get("double").asDouble()).isEqualTo(2.5);
        assertThat(parsed.get("none").isEmpty()).isTrue();
        assertThat(parsed.get("texts").get(1).asString()).isEqualTo("b");
        assertThat(parsed.get("objects").get(1).get("deep").size()).isOne();
    }

    @Test
    void shouldBeReadable() {
        JsonObject object = new JsonObject().put("a", 1).put("b", List.of("c", new JsonObject().put("d", "e")));

        assertThat(object.text()).isEqualTo("""
                {
                  "a": 1,
                  "b": [
                    "c",
                    {
                      "d": "e"
                    }
                  ]
                }""");
    }

    @Test
    void whenAMemberIsAddedTwiceThenItIsRejected() {
        JsonObject object = new JsonObject().put("a", 1);

        assertThatThrownBy(() -> object.put("a", "1")).hasMessage("the object already has a member a");
    }

    @Test
    void whenANumberIsNotFiniteThenItIsRejected() {
        JsonObject object = new JsonObject();

        assertThatThrownBy(() -> object.put("a", Double.NaN)).hasMessage("JSON has no number NaN");
    }
}
