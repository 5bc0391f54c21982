package io.rdmarpc.rpc.engine.server;

import io.rdmarpc.rpc.ServiceContract;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Says in words how two contracts of one service differ. Methods that only the server has do not matter; the types and
 * their order must be the same, for the numbers they travel by depend on it. Types that {@linkplain ShapeDifference evolve}
 * are known by their names, and one side may have more of them.
 */
final class ContractDifference {

    private static final int MOST_WORDS = 8;

    private ContractDifference() {}

    static String describe(ServiceContract client, ServiceContract server) {
        List<String> differences = new ArrayList<>();
        compareMethods(client, server, differences);
        compareTypes(client, server, differences);
        if (differences.isEmpty()) {
            return "";
        }
        String more = differences.size() > MOST_WORDS ? "; and " + (differences.size() - MOST_WORDS) + " more" : "";
        return "service " + client.name() + " differs: "
                + differences.stream().limit(MOST_WORDS).collect(Collectors.joining("; "))
                + more;
    }

    private static void compareMethods(ServiceContract client, ServiceContract server, List<String> differences) {
        List<String> offered =
                server.methods().stream().map(ServiceContract.Method::signature).toList();
        for (ServiceContract.Method method : client.methods()) {
            if (!offered.contains(method.signature())) {
                differences.add("the client calls " + method.signature() + ", the server offers "
                        + similar(method.signature(), offered));
            }
        }
    }

    private static String similar(String signature, List<String> offered) {
        String name = methodName(signature);
        List<String> sameName =
                offered.stream().filter(other -> methodName(other).equals(name)).toList();
        return sameName.isEmpty() ? "no method " + name : String.join(" and ", sameName);
    }

    /** A signature reads "return type name(parameters)". */
    private static String methodName(String signature) {
        int end = signature.indexOf('(');
        String head = end < 0 ? signature : signature.substring(0, end);
        return head.substring(head.lastIndexOf(' ') + 1);
    }

    private static void compareTypes(ServiceContract client, ServiceContract server, List<String> differences) {
        int before = differences.size();
        Map<String, ServiceContract.Type> offered = server.types().stream()
                .collect(Collectors.toMap(
                        ServiceContract.Type::name, Function.identity(), (a, b) -> a, LinkedHashMap::new));
        for (ServiceContract.Type type : client.types()) {
            ServiceContract.Type other = offered.remove(type.name());
            String difference = other == null ? unknown("server", type) : ShapeDifference.describe(type, other);
            if (!difference.isEmpty()) {
                differences.add(difference);
            }
        }
        for (ServiceContract.Type type : offered.values()) {
            if (!unknown("client", type).isEmpty()) {
                differences.add(unknown("client", type));
            }
        }
        if (differences.size() == before) {
            compareOrder(fixed(client), fixed(server), differences);
        }
    }

    private static String unknown(String side, ServiceContract.Type type) {
        return ShapeDifference.isEvolving(type) ? "" : "the " + side + " does not know type " + type.name();
    }

    /** The types that both must know, and whose numbers depend on their order. */
    private static List<ServiceContract.Type> fixed(ServiceContract contract) {
        return contract.types().stream()
                .filter(type -> !ShapeDifference.isEvolving(type))
                .toList();
    }

    private static void compareOrder(
            List<ServiceContract.Type> client, List<ServiceContract.Type> server, List<String> differences) {
        for (int i = 0; i < client.size(); i++) {
            String here = client.get(i).name();
            String there = server.get(i).name();
            if (!here.equals(there)) {
                differences.add("the types are in another order: number " + (i + 1) + " is " + here
                        + " at the client and " + there + " at the server");
                return;
            }
        }
    }
}
