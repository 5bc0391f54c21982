package io.rdmarpc.cli;

import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Describes the host, its kernel and its RDMA devices by versions and numbers, for the report.
 *
 * @param host the host
 */
record HostText(HostFiles host) {

    private static final Pattern RDMA_MODULE = Pattern.compile(
            "(ib|rdma|iw|rdma_\\w+|mlx[45]|hns_roce\\w*)_?\\w*|irdma|bnxt_re|qedr|siw|efa|erdma|ocrdma|vmw_pvrdma|mana_ib");
    private static final Pattern LIBRARY =
            Pattern.compile(".*/((?:libibverbs|librdmacm|lib\\w+-rdmav\\d+)\\.so[.\\d]*)");

    String text() {
        InfoLines lines = new InfoLines(1, 5);
        lines.add("system", System.getProperty("os.name") + " " + System.getProperty("os.arch"))
                .add("distribution", first("etc/os-release", "PRETTY_NAME="))
                .add("kernel", value("proc/sys/kernel/osrelease"))
                .add("processor", host.value("proc/cpuinfo", "model name\t").orElse("unknown"))
                .add("processors", Runtime.getRuntime().availableProcessors())
                .add("numa_nodes", count("sys/devices/system/node", "node\\d+"))
                .add("java", Runtime.version() + " of " + System.getProperty("java.vendor"))
                .add("container", host.exists(".dockerenv") || host.exists("run/.containerenv"))
                .add("modules", modules())
                .add("libraries", libraries());
        host.names(KernelCheck.DEVICES).forEach(device -> addDevice(lines, device));
        return lines.toString();
    }

    private String modules() {
        return host.names("sys/module").stream()
                .filter(RDMA_MODULE.asMatchPredicate())
                .map(module -> module + version(module))
                .collect(Collectors.joining(" "));
    }

    private String version(String module) {
        String version = value("sys/module/" + module + "/version");
        return version.isEmpty() ? "" : "=" + version;
    }

    /** Returns the libraries that this process has loaded, by file names, which contain the versions. */
    private String libraries() {
        return host.lines("proc/self/maps").stream()
                .map(LIBRARY::matcher)
                .filter(Matcher::matches)
                .map(found -> found.group(1))
                .collect(Collectors.collectingAndThen(
                        Collectors.toCollection(TreeSet::new), found -> String.join(" ", found)));
    }

    private void addDevice(InfoLines lines, String device) {
        String directory = KernelCheck.DEVICES + "/" + device;
        lines.append("device:\t" + device + "\n")
                .add("driver", host.linkName(directory + "/device/driver"))
                .add("hca_type", value(directory + "/hca_type"))
                .add("board_id", value(directory + "/board_id"))
                .add("fw_ver", value(directory + "/fw_ver"))
                .add("node_type", value(directory + "/node_type"))
                .add("numa_node", value(directory + "/device/numa_node"));
        for (String port : host.names(directory + "/ports")) {
            String below = directory + "/ports/" + port;
            lines.add(
                    "port " + port,
                    String.join(
                            ", ",
                            List.of(value(below + "/link_layer"), value(below + "/rate"), value(below + "/state"))));
        }
    }

    private String value(String file) {
        return host.lines(file).stream().findFirst().map(String::strip).orElse("");
    }

    private String first(String file, String start) {
        return host.lines(file).stream()
                .filter(line -> line.startsWith(start))
                .map(line -> line.substring(start.length()).replace("\"", ""))
                .findFirst()
                .orElse("unknown");
    }

    private long count(String directory, String pattern) {
        return host.names(directory).stream()
                .filter(name -> name.matches(pattern))
                .count();
    }
}
