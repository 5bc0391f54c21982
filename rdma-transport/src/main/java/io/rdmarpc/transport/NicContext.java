package io.rdmarpc.transport;

import io.rdmarpc.verbs.AddressHandle;
import io.rdmarpc.verbs.CompletionChannel;
import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.ProtectionDomain;
import io.rdmarpc.verbs.RdmaContext;
import io.rdmarpc.verbs.VerbsProviders;
import io.rdmarpc.verbs.attributes.AddressHandleAttributes;
import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.attributes.GidEntry;
import io.rdmarpc.verbs.attributes.PathMtu;
import io.rdmarpc.verbs.attributes.PortAttributes;
import io.rdmarpc.verbs.connect.PortGids;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaConfigurationException;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An open NIC with its chosen port, GID and path MTU, and the protection domain that its transports share. Thread-safe.
 * Close it after all transports that use it.
 */
public final class NicContext implements AutoCloseable {

    // The IPv4 and UDP headers, all transport headers that may occur together, and the ICRC. rxe reserves the same size
    // (RXE_MAX_HDR_LENGTH).
    private static final int ROCE_HEADER_BYTES = 80;

    private final VerbsProviders.Selection selection;
    private final NicConfig config;
    private final PortAttributes port;
    private final PortGids gids;
    private final GidEntry defaultGid;
    private final PathMtu mtuLimit;
    private final ProtectionDomain protectionDomain;
    private final @Nullable CompletionChannel completionChannel;
    private @Nullable ReadBudget readBudget;
    private final HeldClosing closing = new HeldClosing(this::closeNow);

    NicContext(VerbsProviders.Selection selection, NicConfig config) {
        this.selection = selection;
        this.config = config;
        RdmaContext context = selection.context();
        this.port = context.queryPort(config.port());
        this.gids = PortGids.of(context, config.port());
        this.defaultGid = gids.choose(config.gidIndex());
        this.mtuLimit = chooseMtu();
        this.protectionDomain = context.allocateProtectionDomain();
        this.completionChannel = createChannel(context);
    }

    private static @Nullable CompletionChannel createChannel(RdmaContext context) {
        try {
            return context.createCompletionChannel();
        } catch (RdmaVerbsException e) {
            if (e.errno() == Errno.EOPNOTSUPP) {
                return null;
            }
            throw e;
        }
    }

    /**
     * Opens a NIC.
     *
     * @param config the selection and its settings
     * @return the open NIC, to be closed by the caller
     * @throws RdmaConfigurationException if a setting is invalid; the message has the limit
     */
    public static NicContext open(NicConfig config) {
        VerbsProviders.Selection selection =
                VerbsProviders.open(config.provider(), config.device(), config.port(), polledByOwner(config.options()));
        try {
            return new NicContext(selection, config);
        } catch (RuntimeException | Error e) {
            selection.context().close();
            throw e;
        }
    }

    /** One thread polls the transports all the time, so the software RNIC needs no thread of its own. */
    private static Map<String, String> polledByOwner(Map<String, String> options) {
        Map<String, String> all = new HashMap<>(options);
        all.putIfAbsent("soft.progress", "owner");
        return all;
    }

    private PathMtu chooseMtu() {
        PathMtu active = port.activeMtu();
        if (config.mtuBytes() == NicConfig.AUTO_MTU) {
            return active;
        }
        PathMtu configured = PathMtu.ofBytes(config.mtuBytes());
        if (configured.bytes() > active.bytes()) {
            throw new RdmaConfigurationException(
                    "device.mtu",
                    config.mtuBytes(),
                    "the active MTU of port " + config.port() + " of " + deviceName() + " is " + active.bytes(),
                    "Use at most " + active.bytes() + ", or raise the MTU of the network interface");
        }
        return configured;
    }

    /**
     * Returns the provider in use.
     *
     * @return {@code ibverbs} or {@code soft}
     */
    public String providerName() {
        return selection.provider();
    }

    /**
     * Returns the device in use.
     *
     * @return the device's name
     */
    public String deviceName() {
        return selection.context().deviceName();
    }

    /**
     * Returns which device was chosen, and the reason.
     *
     * @return one line for the log
     */
    public String reason() {
        return selection.reason();
    }

    /**
     * Returns the default GID, for peers without a more specific one.
     *
     * @return the chosen entry
     */
    public GidEntry gid() {
        return defaultGid;
    }

    /**
     * Returns the local GID for packets to a peer.
     *
     * @param localAddress local address of the control connection to that peer, or null
     * @return the entry of that address, so that packets use the same network; otherwise the default entry
     */
    public GidEntry gidFor(@Nullable InetAddress localAddress) {
        if (config.gidIndex() != NicConfig.AUTO_GID) {
            return defaultGid;
        }
        return gids.ofAddress(localAddress).orElse(defaultGid);
    }

    /**
     * Returns the largest path MTU of the port, within the configured limit.
     *
     * @return the limit for every path
     */
    public PathMtu pathMtu() {
        return mtuLimit;
    }

    /**
     * Returns the largest path MTU for packets from a GID. A software RNIC has several interfaces, whose MTUs differ.
     *
     * @param from the GID that packets are sent from
     * @return at most {@link #pathMtu()}
     */
    public PathMtu pathMtu(GidEntry from) {
        try {
            NetworkInterface netdev =
                    from.interfaceIndex() > 0 ? NetworkInterface.getByIndex(from.interfaceIndex()) : null;
            return netdev == null ? mtuLimit : mtuLimit.min(PathMtu.fitting(netdev.getMTU() - ROCE_HEADER_BYTES));
        } catch (SocketException e) {
            return mtuLimit;
        }
    }

    /**
     * Returns the port's number.
     *
     * @return a number from 1
     */
    public int portNumber() {
        return config.port();
    }

    /**
     * Returns the port's attributes at the time of opening.
     *
     * @return the attributes
     */
    public PortAttributes port() {
        return port;
    }

    /**
     * Returns the open device.
     *
     * @return the context, owned by this object
     */
    public RdmaContext context() {
        return selection.context();
    }

    /**
     * Returns the completion channel on which armed completion queues of this NIC's transports report completions.
     * Transports that were opened on another channel do not use it. One thread waits on it.
     *
     * @return the channel, owned by this object; null if the device has none
     */
    public @Nullable CompletionChannel completionChannel() {
        return completionChannel;
    }

    /**
     * Opens another completion channel, for the transports of another thread.
     *
     * @return the channel, to be closed by the caller after those transports; null if the device has none
     */
    public @Nullable CompletionChannel openCompletionChannel() {
        return createChannel(context());
    }

    /** Returns the budget of READs in flight that all engines on this NIC share. The first engine sets its size. */
    synchronized ReadBudget readBudget(int reads) {
        ReadBudget known = readBudget;
        if (known == null) {
            known = new ReadBudget(reads);
            readBudget = known;
        }
        return known;
    }

    /** Creates a completion queue, on a channel if one is given. */
    CompletionQueue createCompletionQueue(int entries, @Nullable CompletionChannel channel) {
        return channel == null
                ? context().createCompletionQueue(entries)
                : context().createCompletionQueue(entries, channel);
    }

    /**
     * Returns the protection domain of all memory and queue pairs on this NIC that no peer may access.
     *
     * @return the domain, owned by this object
     */
    public ProtectionDomain protectionDomain() {
        return protectionDomain;
    }

    /**
     * Allocates a protection domain for memory that one peer may access. Blocks.
     *
     * @return the domain, to be closed by the caller before this object
     * @throws RdmaVerbsException if the device has no more domains
     */
    public ProtectionDomain allocateProtectionDomain() {
        return context().allocateProtectionDomain();
    }

    /**
     * Resolves the route to a peer's GID. Blocks.
     *
     * @param from the local GID
     * @param to the peer's GID
     * @param lid the peer's LID
     * @return the handle, to be closed by the caller
     */
    public AddressHandle createAddressHandle(GidEntry from, Gid to, int lid) {
        return protectionDomain.createAddressHandle(AddressHandleAttributes.to(to, lid, from.index(), config.port()));
    }

    /**
     * Defers closing: {@link #close} takes effect after {@link #release}. A caller uses it if a thread that may still
     * use this object did not stop. Thread-safe.
     */
    public void hold() {
        closing.hold();
    }

    /** Ends a {@link #hold}. Closes this object if {@link #close} was called meanwhile. Thread-safe. */
    public void release() {
        closing.release();
    }

    @Override
    public void close() {
        closing.close();
    }

    private void closeNow() {
        protectionDomain.close();
        selection.context().close();
    }
}
