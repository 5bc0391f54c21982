package io.rdmarpc.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The description of differences between two contracts. */
class ContractDifferenceTest {

    private static final String PLACE = "Order place(Request)";
    private static final ServiceContract.Type ORDER = new ServiceContract.Type("Order", "long id, String item");
    private static final ServiceContract.Type ITEM = new ServiceContract.Type("Item", "String name");

    private static ServiceContract contract(List<String> signatures, ServiceContract.Type... types) {
        return new ServiceContract(
                "orders",
                signatures.stream()
                        .map(signature ->
                                new ServiceContract.Method(ServiceContract.methodId("orders", signature), signature))
                        .toList(),
                List.of(types));
    }

    private static String difference(ServiceContract client, ServiceContract server) {
        return String.join("; ", client.differencesFrom(server));
    }

    @Test
    void whenBothAreEqualThenThereIsNoDifference() {
        assertThat(difference(contract(List.of(PLACE), ORDER, ITEM), contract(List.of(PLACE), ORDER, ITEM)))
                .isEmpty();
        assertThat(difference(contract(List.of()), contract(List.of()))).isEmpty();
    }

    @Test
    void whenTheServerHasMoreMethodsThenThereIsNoDifference() {
        assertThat(difference(contract(List.of(PLACE)), contract(List.of("void cancel(long)", PLACE))))
                .isEmpty();
    }

    @Test
    void whenAMethodIsMissingThenItIsNamed() {
        assertThat(difference(contract(List.of(PLACE)), contract(List.of("void cancel(long)"))))
                .isEqualTo("the client calls Order place(Request), the server offers no method" + " place");
    }

    @Test
    void whenASignatureDiffersThenBothAreShown() {
        assertThat(difference(
                        contract(List.of(PLACE)),
                        contract(List.of("Order place(Request, int)", "void placeAll()", "void place()"))))
                .isEqualTo("the client calls Order place(Request), the server offers"
                        + " Order place(Request, int) and void place()");
    }

    @Test
    void whenATypesShapeDiffersThenBothAreShown() {
        assertThat(difference(
                        contract(List.of(PLACE), new ServiceContract.Type("Order", "int id")),
                        contract(List.of(PLACE), ORDER)))
                .isEqualTo("type Order is int id at the client and long id, String item at the server");
    }

    private static String difference(String client, String server) {
        return difference(
                contract(List.of(), new ServiceContract.Type("Order", client)),
                contract(List.of(), new ServiceContract.Type("Order", server)));
    }

    @Test
    void whenMembersDifferThenTheyAreNamed() {
        assertThat(difference(
                        "record(id: long, price: int, tags: java.util.Map<String, Tag>)",
                        "record(id: long, price: double, tags: java.util.Map<String, Label>, note: String)"))
                .isEqualTo("type Order differs: price is int at the client and double at the"
                        + " server, tags is java.util.Map<String, Tag> at the client and java.util.Map<String, Label> at"
                        + " the server, only the server has note");
        assertThat(difference("enum(A, B)", "enum(A)")).isEqualTo("type Order differs: only the client has B");
    }

    @Test
    void whenMembersAreInAnotherOrderThenBothOrdersAreShown() {
        assertThat(difference("record(a: int, b: int)", "record(b: int, a: int)"))
                .isEqualTo("type Order differs: the order is a, b at the client and b, a at the" + " server");
    }

    @Test
    void whenTheKindDiffersThenBothShapesAreShown() {
        assertThat(difference("record(a: int)", "class(a: int)"))
                .isEqualTo("type Order is record(a: int) at the client and class(a: int) at the" + " server");
    }

    @Test
    void whenTypesEvolveThenOnlyCommonMembersMustBeAlike() {
        assertThat(difference("evolving record(a: int, b: String)", "evolving record(b: String, c: long)"))
                .isEmpty();
        assertThat(difference("evolving record(a: int)", "evolving record(a: long)"))
                .isEqualTo("type Order differs: a is int at the client and long at the server");
        assertThat(difference("evolving record(a: int)", "record(a: int)"))
                .contains("at the client and record(a: int)");
    }

    @Test
    void whenTypesEvolveThenEachSideMayHaveMoreOfThem() {
        ServiceContract.Type order = new ServiceContract.Type("Order", "evolving record(a: int)");
        ServiceContract.Type item = new ServiceContract.Type("Item", "evolving record(b: int)");
        assertThat(difference(contract(List.of(), item, order), contract(List.of(), order)))
                .isEmpty();
        assertThat(difference(contract(List.of(), order), contract(List.of(), order, item)))
                .isEmpty();
        assertThat(difference(contract(List.of(), order, ITEM), contract(List.of(), order)))
                .isEqualTo("the server does not know type Item");
    }

    @Test
    void whenATypeIsUnknownOnEitherSideThenItIsNamed() {
        assertThat(difference(contract(List.of(), ORDER, ITEM), contract(List.of(), ORDER)))
                .isEqualTo("the server does not know type Item");
        assertThat(difference(contract(List.of(), ORDER), contract(List.of(), ORDER, ITEM)))
                .isEqualTo("the client does not know type Item");
    }

    @Test
    void whenTypesAreInAnotherOrderThenTheirNumbersDiffer() {
        assertThat(difference(contract(List.of(), ORDER, ITEM), contract(List.of(), ITEM, ORDER)))
                .isEqualTo(
                        "the types are in another order: number 1 is Order at the client and Item" + " at the server");
    }

    @Test
    void whenASignatureIsInvalidThenItIsStillCompared() {
        Stream.of("place", "", "()", " ").forEach(odd -> {
            assertThat(difference(contract(List.of(odd)), contract(List.of(odd))))
                    .isEmpty();
            assertThat(difference(contract(List.of(odd)), contract(List.of())))
                    .startsWith("the client calls " + odd + ", the server offers ");
        });
    }
}
