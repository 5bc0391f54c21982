package io.rdmarpc.verbs;

/** A device that can be opened. */
public interface RdmaDevice {

    /**
     * Returns its name.
     *
     * @return such as {@code mlx5_0}, {@code rxe0} or {@code soft0}
     */
    String name();

    /**
     * Opens it.
     *
     * @return the context, to be closed by the caller
     * @throws VerbsException when it cannot be opened, for instance without rights on its device file
     */
    RdmaContext open();
}
