package io.rdmarpc.rpc.control.address;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The addresses of a target. Names are resolved at each attempt because they may change. Thread-safe; resolving blocks.
 */
public final class TargetAddresses {

    private final List<InetSocketAddress> given;
    private final boolean shuffle;

    public TargetAddresses(List<InetSocketAddress> given, boolean shuffle) {
        if (given.isEmpty()) {
            throw new IllegalArgumentException("a target must have an address");
        }
        this.given = List.copyOf(given);
        this.shuffle = shuffle;
    }

    /** Returns the addresses to try, in this order. */
    public List<InetSocketAddress> next() throws IOException {
        List<InetSocketAddress> all = new ArrayList<>();
        UnknownHostException unknown = null;
        for (InetSocketAddress address : given) {
            try {
                addResolved(all, address);
            } catch (UnknownHostException e) {
                unknown = e;
            }
        }
        if (all.isEmpty() && unknown != null) {
            throw new IOException("cannot resolve host " + unknown.getMessage(), unknown);
        }
        if (shuffle) {
            Collections.shuffle(all);
        }
        return all;
    }

    /** Adds all addresses of a name. */
    private static void addResolved(List<InetSocketAddress> all, InetSocketAddress address)
            throws UnknownHostException {
        if (!address.isUnresolved()) {
            all.add(address);
            return;
        }
        for (InetAddress each : InetAddress.getAllByName(address.getHostString())) {
            all.add(new InetSocketAddress(each, address.getPort()));
        }
    }

    @Override
    public String toString() {
        return given.stream()
                .map(address -> address.getHostString() + ":" + address.getPort())
                .collect(Collectors.joining(", "));
    }
}
