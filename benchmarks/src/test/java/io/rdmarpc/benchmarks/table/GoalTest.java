package io.rdmarpc.benchmarks.table;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class GoalTest {

    @Test
    void whenARatioIsAsLargeAsItMayBeThenTheGoalIsMet() {
        assertThat(Goal.ratioAtMost(3).verdict(3, 100)).isEqualTo("met");
        assertThat(Goal.ratioAtMost(3).verdict(3.01, 0)).isEqualTo("missed");
    }

    @Test
    void whenARatioIsAsSmallAsItMayBeThenTheGoalIsMet() {
        assertThat(Goal.ratioAtLeast(0.9).verdict(0.9, 0)).isEqualTo("met");
        assertThat(Goal.ratioAtLeast(0.9).verdict(0.89, 100)).isEqualTo("missed");
    }

    @Test
    void whenTheValueItselfCountsThenTheRatioDoesNot() {
        assertThat(Goal.atLeast(8, "M/s").verdict(0.1, 8)).isEqualTo("met");
        assertThat(Goal.below(1, "%").verdict(0.1, 1)).isEqualTo("missed");
        assertThat(Goal.zero().verdict(1, 0.001)).isEqualTo("missed");
    }

    @Test
    void whenNothingIsAskedForThenThereIsNoVerdict() {
        assertThat(Goal.NONE.verdict(100, 100)).isEqualTo("-");
    }
}
