package io.rdmarpc.verbs.error;

/**
 * The value of a setting is invalid or does not work on this host. Contains the setting, its value, the problem and the
 * remedy.
 */
public class RdmaConfigurationException extends RdmaException {

    private static final long serialVersionUID = 1L;

    private final String setting;
    private final String value;
    private final String problem;
    private final String remedy;

    /**
     * Creates the exception.
     *
     * @param setting the setting without the common prefix, such as {@code device.name} or {@code server.port}
     * @param value the value of the setting
     * @param problem the problem, with the limit or the available choices
     * @param remedy the remedy, as a sentence
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
     * Returns the value of the setting.
     *
     * @return the value as text
     */
    public String value() {
        return value;
    }

    /**
     * Returns the problem.
     *
     * @return a text with the limit or the available choices
     */
    public String problem() {
        return problem;
    }

    /**
     * Returns the remedy.
     *
     * @return a text for the user
     */
    public String remedy() {
        return remedy;
    }
}
