package io.rdmarpc.service.client;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.service.ServerCallContext;
import java.lang.reflect.Proxy;
import org.springframework.aop.framework.AopProxyUtils;

/**
 * Allocates memory for methods that take or return a {@link MessageBuffer}. Its content is sent without a copy: in
 * one packet, or the peer's NIC READs it. Thread-safe.
 *
 * <p>A buffer has one owner. A call becomes the owner of its argument, whether the call succeeds or fails. A method
 * that returns a buffer passes its ownership on. The caller closes the result when it has read it. A method may close
 * its argument, which is otherwise closed with the response.
 */
public final class MessageBuffers {

    private MessageBuffers() {}

    /**
     * Allocates an argument, and connects if necessary.
     *
     * @param client the proxy that is called with the argument; a call of another proxy copies it
     * @param bytes required capacity in bytes
     * @return a buffer that the caller owns until it is passed as an argument
     * @throws io.rdmarpc.rpc.error.RdmaRpcException if there is no connection, or if the size exceeds the negotiated
     *     maximum
     */
    public static MessageBuffer forArgument(Object client, int bytes) {
        Object proxy = withoutAdvice(client);
        if (Proxy.isProxyClass(proxy.getClass())
                && Proxy.getInvocationHandler(proxy) instanceof ServiceInvocationHandler service) {
            return service.allocate(bytes);
        }
        throw new IllegalArgumentException(client
                + " is not a client of a remote service, and argument buffers belong to a client's connection:"
                + " pass the proxy that is called");
    }

    /** Removes the application's AOP proxies around the client. */
    private static Object withoutAdvice(Object client) {
        Object inner = client;
        for (Object next = client; next != null; next = AopProxyUtils.getSingletonTarget(next)) {
            inner = next;
        }
        return inner;
    }

    /**
     * Allocates the result of the service method that runs on this thread.
     *
     * @param bytes required capacity in bytes
     * @return a buffer that the method owns until it returns the buffer
     * @throws io.rdmarpc.rpc.error.RdmaRpcException if the size exceeds the negotiated maximum
     * @throws IllegalStateException if no service method runs on this thread
     */
    public static MessageBuffer forResult(int bytes) {
        ServerCallContext call = ServerCallContext.current();
        if (call == null) {
            throw new IllegalStateException("no service method runs on this thread:"
                    + " allocate the result on the thread that runs the method");
        }
        return call.allocate(bytes);
    }
}
