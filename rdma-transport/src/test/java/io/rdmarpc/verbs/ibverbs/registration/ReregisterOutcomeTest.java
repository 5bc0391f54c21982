package io.rdmarpc.verbs.ibverbs.registration;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.error.Errno;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("After ibv_rereg_mr a region is")
class ReregisterOutcomeTest {

    @ParameterizedTest(name = "{2} if it returned {0} with errno {1}")
    @CsvSource({
        "0, 0, CHANGED",
        "-1, " + Errno.EINVAL + ", UNCHANGED",
        "-2, " + Errno.ENOMEM + ", UNCHANGED",
        "-3, " + Errno.ENOMEM + ", CHANGED",
        "-4, " + Errno.EOPNOTSUPP + ", UNCHANGED",
        "-4, " + Errno.ENOSYS + ", UNCHANGED",
        "-4, " + Errno.ENOMEM + ", LOST",
        "-5, " + Errno.EOPNOTSUPP + ", LOST",
        "-5, " + Errno.ENOMEM + ", LOST"
    })
    void shouldFollowTheResult(int result, int errno, ReregisterOutcome expected) {
        assertThat(ReregisterOutcome.of(result, errno)).isEqualTo(expected);
    }
}
