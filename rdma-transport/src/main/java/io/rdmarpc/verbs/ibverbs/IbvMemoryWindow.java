package io.rdmarpc.verbs.ibverbs;

import io.rdmarpc.verbs.ibverbs.device.Children;
import io.rdmarpc.verbs.ibverbs.device.Lifetime;
import io.rdmarpc.verbs.ibverbs.ffi.struct.MwStruct;
import io.rdmarpc.verbs.mr.MemoryWindow;

/**
 * A memory window of type 2. Its C struct has the key of the previous bind. A bind requires two keys: the provider
 * reads the current key from the struct, and the new key from the work request.
 */
final class IbvMemoryWindow implements MemoryWindow, Children.Child {

    private static final int USER_BITS = 0xFF;

    private final IbvProtectionDomain domain;
    private final MwStruct struct;
    private final long pointer;
    private final Lifetime lifetime;
    private int rkey;

    IbvMemoryWindow(IbvProtectionDomain domain, MwStruct struct) {
        this.domain = domain;
        this.struct = struct;
        this.pointer = struct.pointer();
        this.rkey = struct.rkey();
        this.lifetime = new Lifetime("memory window", domain.context().deviceName());
        domain.memoryWindows().add(this);
    }

    @Override
    public long handle() {
        return pointer;
    }

    @Override
    public synchronized int rkey() {
        return rkey;
    }

    @Override
    public synchronized int nextRkey() {
        return lifetime.whileOpen("ibv_inc_rkey", () -> {
            struct.rkey(rkey);
            rkey = (rkey & ~USER_BITS) | ((rkey + 1) & USER_BITS);
            return rkey;
        });
    }

    @Override
    public void close() {
        lifetime.end(
                () -> domain.context()
                        .library()
                        .deallocMw(domain.context().struct(), struct)
                        .check(
                                domain.context().deviceName(),
                                errno -> "The window and its region are freed when the process ends"),
                () -> domain.memoryWindows().remove(this));
    }
}
