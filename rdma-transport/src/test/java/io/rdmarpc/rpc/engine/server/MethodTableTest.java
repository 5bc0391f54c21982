package io.rdmarpc.rpc.engine.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.rdmarpc.TestSeed;
import io.rdmarpc.rpc.GuardedHandler;
import io.rdmarpc.rpc.PeerIdentity;
import io.rdmarpc.rpc.RpcRequest;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.ServiceExport;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MethodTableTest {

    private static final PeerIdentity PEER = PeerIdentity.ofAddress("10.0.0.2:7000");

    private final MethodTable table = new MethodTable();

    private static ServiceExport service(String name, int... ids) {
        List<ServiceContract.Method> contract = IntStream.of(ids)
                .mapToObj(id -> new ServiceContract.Method(id, "void m" + id + "()"))
                .toList();
        List<ServiceExport.Method> methods = IntStream.of(ids)
                .mapToObj(id -> new ServiceExport.Method(id, request -> {}, null))
                .toList();
        return new ServiceExport(new ServiceContract(name, contract, List.of()), methods);
    }

    @Test
    void whenTheTableIsEmptyThenNothingIsFound() {
        assertThat(table.find(0)).isNull();
        assertThat(table.find(-1)).isNull();
        assertThat(table.compare(service("a").contract(), PEER))
                .isEqualTo("the server does not export service a; it exports none");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 7, 8, 9, 100, 1000})
    void whenMethodsAreManyThenEachIsFound(int count) {
        long seed = TestSeed.next();
        SplittableRandom random = new SplittableRandom(seed);
        int[] ids = random.ints().distinct().limit(count).toArray();
        ServiceExport export = service("s", ids);
        table.add(export);

        for (int i = 0; i < count; i++) {
            assertThat(table.find(ids[i]))
                    .as("seed %d", seed)
                    .isSameAs(export.methods().get(i));
        }
        List<Integer> known = new ArrayList<>(IntStream.of(ids).boxed().toList());
        random.ints(1000)
                .filter(id -> !known.contains(id))
                .forEach(id -> assertThat(table.find(id)).isNull());
    }

    @Test
    void whenIdsCollideInTheTableThenEachIsFound() {
        int[] ids = IntStream.rangeClosed(1, 64).map(i -> i << 20).toArray();
        table.add(service("s", ids));

        assertThat(IntStream.of(ids).map(id -> table.find(id).id()))
                .containsExactly(IntStream.of(ids).boxed().toArray(Integer[]::new));
        assertThat(table.find(65 << 20)).isNull();
    }

    @Test
    void whenServicesAreAddedThenTheirMethodsJoin() {
        table.add(service("b", 3, 4));
        table.add(service("a", 1, 2));

        assertThat(IntStream.rangeClosed(1, 4).mapToObj(table::find)).doesNotContainNull();
        assertThat(table.contracts()).extracting(ServiceContract::name).containsExactly("a", "b");
        assertThat(table.compare(service("c").contract(), PEER))
                .isEqualTo("the server does not export service c; it exports a, b");
        assertThat(table.compare(service("a", 1).contract(), PEER)).isEmpty();
    }

    @Test
    void whenMethodsAreMissingThenTheFirstOnesAreNamed() {
        table.add(service("s", 1));

        assertThat(table.compare(service("s", 2).contract(), PEER))
                .isEqualTo("service s differs: the client calls void m2(), the server offers no method m2");
        assertThat(table.compare(
                        service("s", IntStream.rangeClosed(2, 21).toArray()).contract(), PEER))
                .endsWith("the server offers no method m9; and 12 more")
                .doesNotContain("m10");
    }

    /** A service for one peer only. */
    private static ServiceExport guarded(String name, int id, PeerIdentity only) {
        GuardedHandler guard = new GuardedHandler() {
            @Override
            public boolean admits(PeerIdentity peer) {
                return peer.equals(only);
            }

            @Override
            public void reject(RpcRequest request) {}

            @Override
            public void handle(RpcRequest request) {}
        };
        return new ServiceExport(service(name, id).contract(), List.of(new ServiceExport.Method(id, guard, null)));
    }

    @Test
    void whenAPeerMayNotCallAServiceThenItGetsNoInformationAboutIt() {
        PeerIdentity other = PeerIdentity.ofAddress("10.0.0.3:7000");
        table.add(service("a", 1));
        table.add(guarded("b", 2, other));
        ServiceContract wrong = service("b", 77).contract();

        assertThat(table.compare(wrong, PEER)).isEmpty();
        assertThat(table.compare(service("c").contract(), PEER))
                .isEqualTo("the server does not export service c; it exports a");
        assertThat(table.compare(wrong, other)).contains("the client calls void m77()");
        assertThat(table.compare(service("c").contract(), other))
                .isEqualTo("the server does not export service c; it exports a, b");
    }

    @Test
    void whenANameIsAlreadyUsedThenTheServiceIsRejected() {
        table.add(service("a", 1));

        assertThatIllegalStateException()
                .isThrownBy(() -> table.add(service("a", 2)))
                .withMessage("service a is exported already: export each name once");
        assertThat(table.find(2)).isNull();
    }

    @Test
    void whenAnIdIsAlreadyUsedThenTheServiceIsRejectedAndTheOthersStay() {
        table.add(service("a", 0xCAFE));

        assertThatIllegalStateException()
                .isThrownBy(() -> table.add(service("b", 1, 0xCAFE)))
                .withMessage("two methods have the id 0xcafe: rename one of them or its service");
        assertThat(table.find(0xCAFE)).isNotNull();
        assertThat(table.find(1)).isNull();
        assertThat(table.contracts()).hasSize(1);
    }

    @Test
    void shouldHashMethodsByFnv1a() {
        assertThat(ServiceContract.methodId("", "")).isEqualTo(fnv1a("#"));
        assertThat(ServiceContract.methodId("orders", "Order place(Request)"))
                .isEqualTo(fnv1a("orders#Order place(Request)"))
                .isNotEqualTo(ServiceContract.methodId("orders2", "Order place(Request)"));
    }

    private static int fnv1a(String text) {
        int hash = 0x811C9DC5;
        for (byte each : text.getBytes(java.nio.charset.StandardCharsets.US_ASCII)) {
            hash = (hash ^ each) * 16777619;
        }
        return hash;
    }
}
