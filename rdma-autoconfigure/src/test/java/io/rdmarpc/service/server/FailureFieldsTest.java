package io.rdmarpc.service.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.annotation.RdmaFailureFields;
import io.rdmarpc.annotation.RdmaService;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.error.RdmaRemoteException;
import io.rdmarpc.service.LoopbackPair;
import io.rdmarpc.service.contract.RdmaInvalidServiceException;
import io.rdmarpc.service.contract.ServiceDescription;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@Timeout(20)
@DisplayName("Declared exceptions with @RdmaFailureFields")
class FailureFieldsTest {

    @RdmaFailureFields
    static class LimitException extends Exception {

        private static final long serialVersionUID = 1L;

        private final String account;
        private final transient List<Integer> limits;
        private final boolean fixed;
        /** Not a parameter of the longest constructor. */
        final String secret;

        LimitException(String message) {
            this(message, "", List.of(), false, null);
        }

        LimitException(String message, String account, List<Integer> limits, boolean fixed, Throwable cause) {
            super(message, cause);
            this.account = account;
            this.limits = limits;
            this.fixed = fixed;
            this.secret = "secret of " + account;
        }

        /** The parameters have no member of these names and types. */
        LimitException(String message, String account, int limits, boolean fixed, Throwable cause, int code) {
            this(message, account, List.of(limits + code), fixed, cause);
        }

        String account() {
            return account;
        }

        List<Integer> getLimits() {
            return limits;
        }
    }

    static class HardLimitException extends LimitException {

        private static final long serialVersionUID = 1L;

        HardLimitException() {
            super("hard", "b-1", List.of(9), true, null);
        }
    }

    @RdmaFailureFields
    static class LazyException extends Exception {

        private static final long serialVersionUID = 1L;

        LazyException(String message, int size) {
            super(message + (size == 0 ? "" : " of " + size));
        }

        int size() {
            throw new IllegalStateException("the size is unknown");
        }
    }

    @RdmaFailureFields
    static class MuteException extends Exception {

        private static final long serialVersionUID = 1L;

        MuteException(String message, int code) {
            super(message + code);
        }
    }

    @RdmaService
    interface Account {

        int draw(int sum) throws LimitException, LazyException;
    }

    @RdmaService
    interface Mute {
        void call() throws MuteException;
    }

    private final LoopbackPair pair = new LoopbackPair();

    private final Account account = pair.connect(Account.class, sum -> switch (sum) {
        case 1 -> throw new LimitException("over", "a-1", List.of(3, 4), true, null);
        case 2 -> throw new HardLimitException();
        case 3 -> throw new LimitException(null, null, null, false, null);
        case 4 -> throw new LazyException("lazy", 0);
        default -> sum;
    });

    @Test
    void shouldArriveWithTheValuesOfMethodsAndFields() throws Exception {
        assertThat(account.draw(9)).isEqualTo(9);
        assertThatExceptionOfType(LimitException.class)
                .isThrownBy(() -> account.draw(1))
                .withMessage("over")
                .withCauseInstanceOf(RdmaRemoteException.class)
                .satisfies(e -> assertThat(e.account()).isEqualTo("a-1"))
                .satisfies(e -> assertThat(e.getLimits()).containsExactly(3, 4))
                .satisfies(e -> assertThat(e.fixed).isTrue());
    }

    @Test
    void whenASubclassIsThrownThenTheDeclaredTypeArrives() {
        assertThatExceptionOfType(LimitException.class)
                .isThrownBy(() -> account.draw(2))
                .isExactlyInstanceOf(LimitException.class)
                .satisfies(e -> assertThat(e.getLimits()).containsExactly(9));
    }

    @Test
    void whenFieldsAreNullThenTheyArriveAsNull() {
        assertThatExceptionOfType(LimitException.class)
                .isThrownBy(() -> account.draw(3))
                .satisfies(e -> assertThat(e.account()).isNull())
                .satisfies(e -> assertThat(e.getLimits()).isNull());
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void whenAFieldCannotBeReadThenTheMessageArrives(CapturedOutput output) {
        assertThatExceptionOfType(RdmaRemoteException.class)
                .isThrownBy(() -> account.draw(4))
                .withMessageContaining("lazy");
        assertThat(output).contains("whose fields could not be encoded").contains("the size is unknown");
    }

    @Test
    void shouldBePartOfTheContract() {
        assertThat(pair.codecs
                        .codecOf(ServiceDescription.of(Account.class))
                        .contract()
                        .types())
                .contains(new ServiceContract.Type(
                        LimitException.class.getName(),
                        "failure(account: java.lang.String, limits: java.util.List<java.lang.Integer>,"
                                + " fixed: boolean)"));
    }

    @Test
    void whenNoConstructorTakesTheFieldsThenTheServiceIsRejected() {
        assertThatExceptionOfType(RdmaInvalidServiceException.class)
                .isThrownBy(() -> new LoopbackPair().connect(Mute.class, () -> {}))
                .withMessageContaining("call declares " + MuteException.class.getName())
                .withMessageContaining("no constructor whose parameters have the names and types of its fields");
    }
}
