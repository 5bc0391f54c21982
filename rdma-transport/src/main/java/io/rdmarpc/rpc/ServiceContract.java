package io.rdmarpc.rpc;

import java.util.List;

/**
 * What two peers must agree on before a service is called. The client sends its own; the server compares and answers
 * with words when they differ.
 *
 * @param name the service's name
 * @param methods its methods
 * @param types the types that travel, in the order of their serialization ids
 */
public record ServiceContract(String name, List<Method> methods, List<Type> types) {

    /**
     * Copies the lists.
     *
     * @param name the service's name
     * @param methods its methods
     * @param types the types that travel
     */
    public ServiceContract {
        methods = List.copyOf(methods);
        types = List.copyOf(types);
    }

    /**
     * One method.
     *
     * @param id its number in the packet header, unique in a process
     * @param signature its name and types in words, the same on both sides
     */
    public record Method(int id, String signature) {}

    /**
     * One type that travels.
     *
     * @param name its class name
     * @param shape its fields in words, {@code kind(name: type, name: type)}, the same on both sides; with {@code evolving}
     *     in front, either side may have more fields, or not have the type
     */
    public record Type(String name, String shape) {}

    /**
     * Computes the number a method is called by: a 32-bit FNV-1a hash of service name and signature.
     *
     * @param service the service's name
     * @param signature the method's signature in words
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
