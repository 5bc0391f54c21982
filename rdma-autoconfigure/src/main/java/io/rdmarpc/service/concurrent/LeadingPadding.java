package io.rdmarpc.service.concurrent;

/**
 * 128 bytes before the fields of an object that one processor writes with every call. The garbage collector may place the
 * object next to one that all processors read. Each write would then remove that object's cache line from the caches of the
 * other processors.
 *
 * <p>The Java virtual machine places the fields of a class behind those of its superclass. So a subclass declares the fields
 * that are written, and a subclass of that one the 128 bytes behind them.
 */
@SuppressWarnings("unused") // only the size matters
public abstract class LeadingPadding {

    private long padding0;
    private long padding1;
    private long padding2;
    private long padding3;
    private long padding4;
    private long padding5;
    private long padding6;
    private long padding7;
    private long padding8;
    private long padding9;
    private long padding10;
    private long padding11;
    private long padding12;
    private long padding13;
    private long padding14;
    private long padding15;

    /** For subclasses. */
    protected LeadingPadding() {}
}
