package io.rdmarpc.rpc.wire;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CreditWordTest {

    @Test
    void shouldHaveTheDocumentedBits() {
        assertThat(CreditWord.of(0, 1)).isZero();
        assertThat(CreditWord.of(0x12, 0x35)).isEqualTo(0x0000_1234);
        assertThat(CreditWord.of(0x1FF, 256)).isEqualTo(0x0000_FFFF);
        assertThat(CreditWord.withServed(CreditWord.of(0x12, 0x35), 0xABCD)).isEqualTo(0xABCD_1234);
        assertThat(CreditWord.withServed(CreditWord.of(0x12, 0x35), 1_000_000)).isEqualTo(0xFFFF_1234);
    }

    @Test
    void shouldReadWhatWasWritten() {
        int word = CreditWord.of(200, 64);

        assertThat(CreditWord.version(word)).isEqualTo(200);
        assertThat(CreditWord.credits(word)).isEqualTo(64);
        assertThat(CreditWord.servedMicros(word)).isZero();
        assertThat(CreditWord.servedMicros(CreditWord.withServed(word, 40_000))).isEqualTo(40_000);
    }

    @Test
    void whenThereIsATimeInTheUpperHalfThenCreditsAndVersionAreTheSame() {
        assertThat(CreditWord.credits(0xABCD_0003)).isEqualTo(4);
        assertThat(CreditWord.version(0xABCD_0703)).isEqualTo(7);
    }

    @Test
    void shouldKnowTheNewerVersionAcrossAWrapAround() {
        assertThat(CreditWord.isNewer(1, 0)).isTrue();
        assertThat(CreditWord.isNewer(0, 0)).isFalse();
        assertThat(CreditWord.isNewer(0, 1)).isFalse();
        assertThat(CreditWord.isNewer(0, 255)).isTrue();
        assertThat(CreditWord.isNewer(255, 0)).isFalse();
    }
}
