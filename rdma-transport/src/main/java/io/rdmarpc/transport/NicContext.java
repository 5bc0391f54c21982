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
 * An open NIC with its port, GID and path MTU chosen, and the protection domain everything lives in. Any thread. Close it
 * after all transports made from it.
 */
public final class NicContext implements AutoCloseable {

    // IPv4 and UDP headers, all transport headers that may come together, ICRC: what rxe reserves too
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
     * @param config which and how
     * @return the open NIC, to be closed by the caller
     * @throws RdmaConfigurationException when a setting cannot work, with its limit
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

    /** Transports are polled by one thread all the time, so the software RNIC needs none of its own. */
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
        PathMtu wanted = PathMtu.ofBytes(config.mtuBytes());
        if (wanted.bytes() > active.bytes()) {
            throw new RdmaConfigurationException(
                    "device.mtu",
                    config.mtuBytes(),
                    "the active MTU of port " + config.port() + " of " + deviceName() + " is " + active.bytes(),
                    "Use at most " + active.bytes() + ", or raise the MTU of the network interface");
        }
        return wanted;
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
     * @return its name
     */
    public String deviceName() {
        return selection.context().deviceName();
    }

    /**
     * Tells which device was chosen and why.
     *
     * @return one line for the log
     */
    public String reason() {
        return selection.reason();
    }

    /**
     * Returns the GID that is used when no other fits a peer better.
     *
     * @return the chosen entry
     */
    public GidEntry gid() {
        return defaultGid;
    }

    /**
     * Returns the GID to talk to a peer from.
     *
     * @param localAddress own address of the control connection to that peer, or null
     * @return the entry of that very address, so that packets take the same network; else the default one
     */
    public GidEntry gidFor(@Nullable InetAddress localAddress) {
        if (config.gidIndex() != NicConfig.AUTO_GID) {
            return defaultGid;
        }
        return gids.ofAddress(localAddress).orElse(defaultGid);
    }

    /**
     * Returns the largest path MTU of the port as configured.
     *
     * @return the limit for every path
     */
    public PathMtu pathMtu() {
        return mtuLimit;
    }

    /**
     * Returns the largest path MTU when sending from a GID: a software RNIC has several interfaces of different MTU.
     *
     * @param from the GID packets are sent from
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
     * @return from 1
     */
    public int portNumber() {
        return config.port();
    }

    /**
     * Returns the port as it was at opening.
     *
     * @return its attributes
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
     * Returns where the completion queues of transports on this NIC tell of completions, once they are armed, unless they
     * were opened on another channel. One thread waits on it.
     *
     * @return the channel, owned by this object; null when the device has none
     */
    public @Nullable CompletionChannel completionChannel() {
        return completionChannel;
    }

    /**
     * Makes another channel, for the transports of another thread.
     *
     * @return the channel, to be closed by the caller after those transports; null when the device has none
     */
    public @Nullable CompletionChannel openCompletionChannel() {
        return createChannel(context());
    }

    /** READs in flight, of all engines on this NIC: as many as the first of them allows. */
    synchronized ReadBudget readBudget(int reads) {
        ReadBudget known = readBudget;
        if (known == null) {
            known = new ReadBudget(reads);
            readBudget = known;
        }
        return known;
    }

    /** Makes a completion queue on a channel, if there is one. */
    CompletionQueue createCompletionQueue(int entries, @Nullable CompletionChannel channel) {
        return channel == null
                ? context().createCompletionQueue(entries)
                : context().createCompletionQueue(entries, channel);
    }

    /**
     * Returns the protection domain of everything on this NIC that no peer may access.
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
     * Resolves the way to a peer's GID. Blocks.
     *
     * @param from own GID
     * @param to the peer's GID
     * @param lid the peer's LID
     * @return the handle, to be closed by the caller
     */
    public AddressHandle createAddressHandle(GidEntry from, Gid to, int lid) {
        return protectionDomain.createAddressHandle(AddressHandleAttributes.to(to, lid, from.index(), config.port()));
    }

    /**
     * Puts off closing: {@link #close} takes effect after {@link #release}. For whoever could not stop a thread that may still
     * use this. Any thread.
     */
    public void hold() {
        closing.hold();
    }

    /** Ends a {@link #hold}; closes it if that was wanted meanwhile. Any thread. */
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
