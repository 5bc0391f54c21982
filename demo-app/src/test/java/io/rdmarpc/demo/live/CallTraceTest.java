package io.rdmarpc.demo.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.demo.live.CallTrace.StageTime;
import org.junit.jupiter.api.Test;

class CallTraceTest {

    @Test
    void shouldBuildConsecutiveStages() {
        CallTrace trace = new CallTrace.Builder("RDMA", 5_000)
                .until(Stage.SERIALIZE, 6_000)
                .until(Stage.THERE, 9_500)
                .build(false);

        assertThat(trace.totalMicros()).isEqualTo(4.5);
        assertThat(trace.stages())
                .containsExactly(new StageTime(Stage.SERIALIZE, 0, 1), new StageTime(Stage.THERE, 1, 3.5));
    }

    @Test
    void whenTwoThreadsRecordTimesOutOfOrderThenNoStageIsNegative() {
        CallTrace trace = new CallTrace.Builder("RDMA", 0)
                .until(Stage.ANSWER, 2_000)
                .until(Stage.BACK, 1_500)
                .build(false);

        assertThat(trace.stages()).extracting(StageTime::micros).containsExactly(2.0, 0.0);
        assertThat(trace.totalMicros()).isEqualTo(2);
    }
}
