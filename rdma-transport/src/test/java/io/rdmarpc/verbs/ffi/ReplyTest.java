package io.rdmarpc.verbs.ffi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("The result of a verb of the control path")
class ReplyTest {

    @ParameterizedTest(name = "returned {0}, errno {1}: error {2}")
    @CsvSource({
        "0, 11, 0", // errno is valid only after a failure
        "22, 0, 22", // the error number itself: ibv_modify_qp
        "-22, 0, 22", // its negative
        "-1, 12, 12", // -1 and errno
        "-1, 0, 5" // -1 without errno
    })
    void shouldReturnTheErrorNumberOfEveryConvention(long returned, int errno, int expected) {
        assertThat(new Reply("ibv_x", returned, errno).error()).isEqualTo(expected);
    }

    @Test
    void whenThePointerIsNullThenErrnoIsThrown() {
        Reply reply = new Reply("ibv_reg_mr", 0, Errno.ENOMEM);

        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() -> reply.pointer("rxe0", errno -> "tried " + errno))
                .withMessage("ibv_reg_mr on rxe0 failed: errno 12 (ENOMEM, cannot allocate memory). tried 12")
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.ENOMEM));
    }

    @Test
    void whenTheVerbSucceedsThenNothingIsThrown() {
        assertThatCode(() -> new Reply("ibv_dereg_mr", 0, 0).check("rxe0", errno -> ""))
                .doesNotThrowAnyException();
        assertThat(new Reply("ibv_alloc_pd", 4096, 2).pointer("rxe0", errno -> ""))
                .isEqualTo(4096);
        assertThat(new Reply("_ibv_query_gid_table", 3, 0).count("rxe0", errno -> ""))
                .isEqualTo(3);
    }

    @Test
    void whenTheCountIsNegativeThenItIsAnErrorNumber() {
        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() -> new Reply("_ibv_query_gid_table", -22, 0).count("rxe0", errno -> "tried"))
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
    }
}
