package io.rdmarpc.verbs.cm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.rdmarpc.verbs.attributes.AccessFlag;
import java.net.InetSocketAddress;
import java.util.Set;
import java.util.function.IntFunction;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Parameters of a connection")
class CmParametersTest {

    private final CmParameters parameters = new CmParameters();

    @Test
    void shouldCopyThePrivateData() {
        byte[] data = {1, 2, 3};

        parameters.privateData(data);
        data[0] = 9;
        parameters.privateData()[1] = 9;

        assertThat(parameters.privateData()).containsExactly(1, 2, 3);
    }

    @Test
    void shouldRejectPrivateDataOverTheLimit() {
        parameters.privateData(new byte[CmParameters.MAX_ACCEPT_DATA_BYTES]);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> parameters.privateData(new byte[CmParameters.MAX_ACCEPT_DATA_BYTES + 1]))
                .withMessage("length of privateData = 197: valid values are 0 to 196");
    }

    @Test
    void shouldRejectValuesOutOfRange() {
        rejectsOutside(parameters::responderResources, 0, 255);
        rejectsOutside(parameters::initiatorDepth, 0, 255);
        rejectsOutside(parameters::retryCount, 0, 7);
        rejectsOutside(parameters::rnrRetryCount, 0, 7);
        rejectsOutside(parameters::ackTimeout, CmParameters.AUTOMATIC, 31);
        rejectsOutside(parameters::minRnrTimer, CmParameters.AUTOMATIC, 31);
    }

    private static void rejectsOutside(IntFunction<CmParameters> setter, int min, int max) {
        assertThatCode(() -> setter.apply(min)).doesNotThrowAnyException();
        assertThatCode(() -> setter.apply(max)).doesNotThrowAnyException();
        assertThatIllegalArgumentException().isThrownBy(() -> setter.apply(min - 1));
        assertThatIllegalArgumentException().isThrownBy(() -> setter.apply(max + 1));
    }

    @Test
    void shouldRetryWithoutLimitOnlyOnRequest() {
        assertThat(parameters.rnrRetryCount()).isLessThan(7);
    }

    @Test
    void shouldRejectLocalRights() {
        assertThat(parameters.remoteAccess()).isNull();
        assertThat(parameters.remoteAccess(Set.of()).remoteAccess()).isEmpty();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> parameters.remoteAccess(Set.of(AccessFlag.LOCAL_WRITE)))
                .withMessageContaining("REMOTE_READ");
    }

    @Test
    void shouldRejectUnresolvedDestinations() {
        InetSocketAddress name = InetSocketAddress.createUnresolved("server", 18515);
        CmDestination destination = CmDestination.to(new InetSocketAddress(18515));

        assertThatIllegalArgumentException()
                .isThrownBy(() -> CmDestination.to(name))
                .withMessageContaining("check the name");
        assertThatIllegalArgumentException().isThrownBy(() -> destination.from(name));
        assertThatIllegalArgumentException().isThrownBy(() -> destination.withTrafficClass(256));
        assertThat(destination.withTrafficClass(0x68).trafficClass()).isEqualTo(0x68);
    }

    @Test
    void shouldHaveTheRejectCodesOfTheSpecification() {
        assertThat(CmRejectReason.of(8)).isEqualTo(CmRejectReason.INVALID_SERVICE_ID);
        assertThat(CmRejectReason.of(28)).isEqualTo(CmRejectReason.CONSUMER_DEFINED);
        assertThat(CmRejectReason.of(34)).isEqualTo(CmRejectReason.OTHER);
        assertThat(CmRejectReason.values()).extracting(CmRejectReason::code).doesNotHaveDuplicates();
    }
}
