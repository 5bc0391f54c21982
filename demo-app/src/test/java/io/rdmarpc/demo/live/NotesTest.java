package io.rdmarpc.demo.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.demo.live.load.LoadSettings;
import io.rdmarpc.demo.live.side.RdmaView;
import io.rdmarpc.demo.live.side.SoftLink;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class NotesTest {

    private static final RdmaView DEVICE = rdma("ibverbs", "mlx5_0", "RDMA network");
    private static final RdmaView SOFTWARE = rdma("soft", "soft0", "shared memory (one host)");

    private final HostLoad load = new HostLoad(2);

    private static RdmaView rdma(String provider, String device, String link) {
        return new RdmaView(provider, device, "", "", link, 1024, 8, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    }

    private List<String> notes(RdmaView rdma, double lossPercent, @Nullable Long unfinishedWarmUp) {
        return Notes.of(rdma, true, LoadSettings.FIRST.withLoss(lossPercent), load, unfinishedWarmUp);
    }

    @Test
    void shouldDescribeTheSetup() {
        assertThat(Notes.setup(SOFTWARE, true, 2))
                .isEqualTo("software RNIC soft0 over shared memory, one host, 2 CPUs");
        assertThat(Notes.setup(rdma("soft", "soft0", SoftLink.UDP), true, 1))
                .isEqualTo("software RNIC soft0 over UDP, one host, 1 CPU");
        assertThat(Notes.setup(DEVICE, false, 16)).isEqualTo("RDMA device mlx5_0, two hosts, 16 CPUs");
        assertThat(Notes.setup(null, true, 2)).isEqualTo("RDMA not connected, one host, 2 CPUs");
    }

    @Test
    void whenADeviceMeasuresOnAnIdleHostThenThereIsNoNote() {
        load.add(0.6, 1.2);

        assertThat(notes(DEVICE, 0, null)).isEmpty();
    }

    @Test
    void whenTheRnicIsSoftwareOnOneHostThenNoNetworkIsMeasured() {
        assertThat(notes(SOFTWARE, 0, null)).containsExactly("Software RNIC on one host: no network is measured.");
    }

    @Test
    void whenPacketsAreLostThenTheNoteSaysThatOnlyRdmaLosesThem() {
        assertThat(notes(DEVICE, 0.5, null))
                .containsExactly("Injected loss of 0.5 % affects RDMA only. gRPC and HTTP lose no packets.");
        assertThat(notes(DEVICE, 2, null)).first().asString().contains(" of 2 % ");
    }

    @Test
    void whenAllCpusAreBusyThenTheNoteSaysHowMuchOthersUse() {
        load.add(1, 1.5);

        assertThat(notes(DEVICE, 0, null))
                .containsExactly(
                        "All 2 CPUs are busy, other programs use 25 % of them. Latencies include waiting for a CPU.");
    }

    @Test
    void whenOtherProgramsAreBusyThenTheNoteSaysSo() {
        load.add(0.5, 0.6);

        assertThat(notes(DEVICE, 0, null))
                .containsExactly("Other programs use 20 % of the 2 CPUs, which distorts the comparison.");
    }

    @Test
    void whenTheWarmUpEndedAtItsLimitThenTheNoteSaysSo() {
        assertThat(notes(DEVICE, 0, 60L)).first().asString().startsWith("The warm-up ended at its limit of 60 s");
    }
}
