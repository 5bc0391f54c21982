package io.rdmarpc.demo.compare;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.demo.MeasurementResult;
import io.rdmarpc.demo.Transport;
import org.junit.jupiter.api.Test;

class ComparisonTableTest {

    private final ComparisonTable table = new ComparisonTable(16);

    private void put(Part part, Transport transport, double perSecond, double p50, double p99, double max) {
        table.put(part, transport, new MeasurementResult("x", 1000, perSecond, p50, p99, p99, max, ""));
    }

    private void placeOrders() {
        put(Part.PLACE, Transport.RDMA, 200_000, 4, 10, 9000);
        put(Part.PLACE, Transport.GRPC, 6_000, 152, 300, 5000);
        put(Part.PLACE, Transport.HTTP, 5_000, 180, 400, 8000);
    }

    @Test
    void shouldListEachTransportWithItsRatioToRdma() {
        placeOrders();

        assertThat(table.lines()).hasSize(5);
        assertThat(table.lines().get(1)).isEqualTo("place an order, 1 caller");
        assertThat(table.lines().get(2)).startsWith("  RDMA").endsWith("9000.0");
        assertThat(table.lines().get(3)).startsWith("  gRPC").matches(".* x 38 +x 0\\.030");
        assertThat(table.lines().get(4)).startsWith("  Spring HTTP").matches(".* x 45 +x 0\\.025");
    }

    @Test
    void shouldNameTheFiguresInWhichRdmaIsWorse() {
        placeOrders();

        assertThat(table.losses())
                .containsExactly(
                        "place an order, 1 caller, max: 9000 µs over RDMA, 5000 µs over gRPC",
                        "place an order, 1 caller, max: 9000 µs over RDMA, 8000 µs over Spring HTTP");
    }

    @Test
    void whenAFirstCallIsSlowerThenItIsNamedOnce() {
        put(Part.FIRST_CALL, Transport.RDMA, 2, 400_000, 400_000, 400_000);
        put(Part.FIRST_CALL, Transport.GRPC, 3, 300_000, 300_000, 300_000);

        assertThat(table.losses())
                .containsExactly("first call of a process, p50: 400000 µs over RDMA, 300000 µs over gRPC");
    }

    @Test
    void shouldSummarizeOrders() {
        placeOrders();

        assertThat(table.summary())
                .isEqualTo("orders: 4.0 µs over RDMA instead of 152 µs over gRPC and 180 µs over Spring HTTP on this"
                        + " machine (medians, 1 caller)");
    }

    @Test
    void whenCallsFailedThenTheTransportIsNamed() {
        placeOrders();
        table.put(
                Part.PLACE,
                Transport.GRPC,
                new MeasurementResult("place", 1000, 1, 1, 1, 1, 1, "place: 1 wrong responses"));

        assertThat(table.problems()).containsExactly("gRPC: place: 1 wrong responses");
    }
}
