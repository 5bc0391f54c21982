package io.rdmarpc.verbs;

import java.util.List;

/** An open device ({@code struct ibv_context}). Any thread. */
public interface RdmaContext extends AutoCloseable {

    /**
     * Returns the device's name.
     *
     * @return such as {@code mlx5_0}, {@code rxe0} or {@code soft0}
     */
    String deviceName();

    /**
     * Returns the device's limits.
     *
     * @return read once at opening
     */
    DeviceAttributes attributes();

    /**
     * Asks for a port's attributes.
     *
     * @param portNumber from 1
     * @return its state now
     * @throws VerbsException when there is no such port
     */
    PortAttributes queryPort(int portNumber);

    /**
     * Lists a port's GID table.
     *
     * @param portNumber from 1
     * @return the used entries in the order of their index
     */
    List<GidEntry> gidTable(int portNumber);

    /**
     * Allocates a protection domain.
     *
     * @return the domain, to be closed by the caller
     */
    ProtectionDomain allocateProtectionDomain();

    /**
     * Creates a completion queue.
     *
     * @param entries completions it must hold
     * @return the queue, to be closed by the caller
     * @throws VerbsException when the device refuses, with its limit
     */
    CompletionQueue createCompletionQueue(int entries);

    /** Closes the device; all that was made from it must be closed before. A second call does nothing. */
    @Override
    void close();
}
