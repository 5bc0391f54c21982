package io.rdmarpc.verbs.error;

/** A setting cannot work here. Names the setting, its value, what is wrong with it and what to do. */
public class RdmaConfigurationException extends RdmaException {

    private static final long serialVersionUID = 1L;

    private final String setting;
    private final String value;
    private final String problem;
    private final String remedy;

    /**
     * Creates the failure.
     *
     * @param setting the setting without the common prefix, such as {@code device.name} or {@code server.port}
     * @param value what it was set to
     * @param problem what is wrong, with the limit or the choices there are
     * @param remedy what to do
     */
    public RdmaConfigurationException(String setting, Object value, String problem, String remedy) {
        super("rdma." + setting + " = " + value + ": " + problem + ". " + remedy);
        this.setting = setting;
        this.value = String.valueOf(value);
        this.problem = problem;
        this.remedy = remedy;
    }

    /**
     * Returns the setting.
     *
     * @return its name without the common prefix
     */
    public String setting() {
        return setting;
    }

    /**
     * Returns what it was set to.
     *
     * @return the value as text
     */
    public String value() {
        return value;
    }

    /**
     * Returns what is wrong.
     *
     * @return words with the limit or the choices there are
     */
    public String problem() {
        return problem;
    }

    /**
     * Returns what to do.
     *
     * @return words
     */
    public String remedy() {
        return remedy;
    }
}
