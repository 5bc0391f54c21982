package io.rdmarpc.docs.pages;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Content of all pages for other tests. */
public final class Pages {

    private static final Pattern QUOTED = Pattern.compile("`([^`\n]+)`");
    private static final Pattern NAME = Pattern.compile(
            "(?<![\\w./-])(?:rdma(\\.[a-z][a-z0-9-]*)+|rpc\\.(?:client|server|system|method|service|status)[a-z._]*)");

    private Pages() {}

    /**
     * Returns the YAML blocks of the pages.
     *
     * @return settings by page and number
     */
    public static Map<String, String> yaml() {
        Map<String, String> blocks = new LinkedHashMap<>();
        MarkdownPage.blocks("yaml")
                .forEach(block -> blocks.put(block.page() + " " + (blocks.size() + 1), block.text()));
        return blocks;
    }

    /**
     * Returns the names that the pages quote: settings, meters, tags.
     *
     * @return names by page
     */
    public static Map<String, Set<String>> names() {
        return MarkdownPage.all().stream().collect(Collectors.toMap(MarkdownPage::name, Pages::names));
    }

    private static Set<String> names(MarkdownPage page) {
        Set<String> names = new TreeSet<>();
        QUOTED.matcher(page.text())
                .results()
                .flatMap(quoted -> NAME.matcher(quoted.group(1)).results())
                .forEach(found -> names.add(found.group()));
        return names;
    }
}
