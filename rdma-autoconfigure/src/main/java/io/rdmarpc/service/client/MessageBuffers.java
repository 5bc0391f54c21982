package io.rdmarpc.service.client;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.service.ServerCallContext;
import java.lang.reflect.Proxy;
import org.springframework.aop.framework.AopProxyUtils;

/**
 * Memory for methods that take or return a {@link MessageBuffer}. What is written there goes out without being copied: in one
 * packet, or the other side's NIC reads it. Any thread.
 *
 * <p>A buffer has one owner. The call that it is an argument of takes it over, whatever becomes of the call; a method that
 * returns one gives it away. Who gets one closes it: the caller a result, when it has read it; a method may close its argument,
 * which is otherwise closed with the answer.
 */
public final class MessageBuffers {

    private MessageBuffers() {}

    /**
     * Allocates an argument, connecting if need be.
     *
     * @param client whom it is for: the proxy that is called with it; for another one it is copied on the way
     * @param bytes how much it must hold
     * @return a buffer, owned by the caller until it is an argument
     * @throws io.rdmarpc.rpc.error.RdmaRpcException when there is no connection, or that is more than peers agreed on
     */
    public static MessageBuffer forArgument(Object client, int bytes) {
        Object proxy = withoutAdvice(client);
        if (Proxy.isProxyClass(proxy.getClass())
                && Proxy.getInvocationHandler(proxy) instanceof ServiceInvocationHandler service) {
            return service.allocate(bytes);
        }
        throw new IllegalArgumentException(client
                + " is no client of a remote service, and buffers for arguments are of a client's connection:"
                + " give the proxy that is called");
    }

    /** The application's own aspects may stand around the proxy. */
    private static Object withoutAdvice(Object client) {
        Object inner = client;
        for (Object next = client; next != null; next = AopProxyUtils.getSingletonTarget(next)) {
            inner = next;
        }
        return inner;
    }

    /**
     * Allocates the result of the method that runs on this thread.
     *
     * @param bytes how much it must hold
     * @return a buffer, owned by the method until it returns it
     * @throws io.rdmarpc.rpc.error.RdmaRpcException when that is more than peers agreed on
     * @throws IllegalStateException when no call is being answered here
     */
    public static MessageBuffer forResult(int bytes) {
        ServerCallContext call = ServerCallContext.current();
        if (call == null) {
            throw new IllegalStateException("no call is answered on this thread: allocate where the method runs");
        }
        return call.allocate(bytes);
    }
}
