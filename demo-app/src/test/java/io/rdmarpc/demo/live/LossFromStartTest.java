package io.rdmarpc.demo.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.demo.live.load.LoadSettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LossFromStartTest {

    @Test
    void whenTheCommandLineSetsLossThenTheControlStartsWithIt() {
        try (LiveApplication application = new LiveApplication("--rdma.soft.faults.loss=0.02")) {
            assertThat(application.settings()).isEqualTo(LoadSettings.FIRST.withLoss(2));
        }
    }
}
