package io.rdmarpc.rpc;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Describes how two contracts of one service differ. Methods that only the server has do not count as a difference.
 * Types and their order must be equal, because their numbers on the wire depend on them. Types that {@linkplain
 * ShapeDifference evolve} are identified by their names, and either peer may have additional ones.
 */
final class ContractDifference {

    private ContractDifference() {}

    static List<String> of(ServiceContract client, ServiceContract server) {
        List<String> differences = new ArrayList<>();
        compareMethods(client, server, differences);
        compareTypes(client, server, differences);
        return differences;
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

    /** A signature has the form "return type name(parameters)". */
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

    /** Returns the types that both peers must know, and whose numbers depend on their order. */
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
