package io.rdmarpc.verbs.soft.link;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BufferNoticeTest {

    @Test
    void shouldReportTheSizeAndTheRemedy() {
        assertThat(BufferNotice.text(208 << 10)).contains("208 KiB").contains("sysctl -w net.core.rmem_max=4194304");
    }
}
