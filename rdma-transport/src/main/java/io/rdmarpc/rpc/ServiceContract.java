package io.rdmarpc.rpc;

import java.util.List;

/**
 * The contract that two peers must agree on before a service is called. The client sends its own contract. The server
 * compares the two and responds with a description of the differences.
 *
 * @param name the service's name
 * @param methods its methods
 * @param types the types of arguments and results, in the order of their serialization ids
 */
public record ServiceContract(String name, List<Method> methods, List<Type> types) {

    /**
     * Copies the lists.
     *
     * @param name the service's name
     * @param methods its methods
     * @param types the types of arguments and results
     */
    public ServiceContract {
        methods = List.copyOf(methods);
        types = List.copyOf(types);
    }

    /**
     * One method.
     *
     * @param id its number in the packet header, unique in a process
     * @param signature its name and types as text, the same on both sides
     */
    public record Method(int id, String signature) {}

    /**
     * One type of arguments or results.
     *
     * @param name its class name
     * @param shape its fields as text, {@code kind(name: type, name: type)}, the same on both sides. With the prefix
     *     {@code evolving}, either side may have more fields, or may lack the type
     */
    public record Type(String name, String shape) {}

    /**
     * Compares this contract, as a client's, with a server's. Servers apply the same rules when a client connects.
     *
     * <p>A server may have more methods than a client. Types and their order must be equal, because their numbers in
     * messages depend on them. Types whose shape starts with {@code evolving} may have additional members on either
     * side, and may exist on one side only.
     *
     * @param server the server's contract of the same service
     * @return a description of each difference with which this client's calls would be rejected; empty if there is none
     */
    public List<String> differencesFrom(ServiceContract server) {
        return List.copyOf(ContractDifference.of(this, server));
    }

    /**
     * Computes the number of a method: a 32-bit FNV-1a hash of service name and signature.
     *
     * @param service the service's name
     * @param signature the method's signature as text
     * @return the id
     */
    public static int methodId(String service, String signature) {
        int hash = 0x811C9DC5;
        String text = service + '#' + signature;
        for (int i = 0; i < text.length(); i++) {
            hash = (hash ^ text.charAt(i)) * 0x01000193;
        }
        return hash;
    }
}
