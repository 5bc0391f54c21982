package io.rdmarpc.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PeerTextTest {

    @Test
    void shouldReturnCleanTextUnchanged() {
        String text = "the server has 10 sessions: größer, 日本, \uD83D\uDE00";

        assertThat(PeerText.of(text)).isSameAs(text);
    }

    @Test
    void shouldKeepOneLine() {
        assertThat(PeerText.of("a\r\nb\tc\u0085d\u2028e\u2029f")).isEqualTo("a  b c d e f");
    }

    @Test
    void shouldReplaceTerminalAndDirectionControls() {
        assertThat(PeerText.of("\u001b[31mred\u0007\u0000\u009b \u202Eleft\u200B\uFEFF\u2066"))
                .isEqualTo("?[31mred??? ?left???");
        assertThat(PeerText.of("lone \uD800 and \uDC00")).isEqualTo("lone ? and ?");
    }

    @Test
    void whenTextIsLongThenItIsCutBetweenTwoCharacters() {
        assertThat(PeerText.of("x".repeat(PeerText.MAX_CHARS))).hasSize(PeerText.MAX_CHARS);
        assertThat(PeerText.of("x".repeat(PeerText.MAX_CHARS + 1)))
                .hasSize(PeerText.MAX_CHARS)
                .endsWith("x...");
        assertThat(PeerText.of("abc\uD83D\uDE00def", 7)).isEqualTo("abc...");
        assertThat(PeerText.of("a\n".repeat(200))).hasSize(PeerText.MAX_CHARS).doesNotContain("\n");
        assertThat(PeerText.detail("x".repeat(5_000))).hasSize(PeerText.MAX_DETAIL_CHARS);
    }

    @Test
    void whenTextIsEmptyThenTheResultIsEmpty() {
        assertThat(PeerText.of("")).isEmpty();
        assertThat(PeerText.of("\uD83D\uDE00\uD83D\uDE00", 3)).isEqualTo("...");
    }
}
