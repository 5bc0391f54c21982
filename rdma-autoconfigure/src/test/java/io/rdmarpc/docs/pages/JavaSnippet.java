package io.rdmarpc.docs.pages;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Java code of a page.
 *
 * @param imports names of the classes that it imports
 * @param body the code without import lines at its top, because a source file may have other imports between them
 */
record JavaSnippet(List<String> imports, String body) {

    private static final Pattern IMPORT = Pattern.compile("^import ([\\w.]+);$", Pattern.MULTILINE);
    private static final Pattern TOP = Pattern.compile("(?:import [\\w.]+;\n|\n)+");

    static JavaSnippet of(String code) {
        Matcher top = TOP.matcher(code);
        return new JavaSnippet(imports(code), top.lookingAt() ? code.substring(top.end()) : code);
    }

    private static List<String> imports(String code) {
        return IMPORT.matcher(code).results().map(found -> found.group(1)).toList();
    }

    boolean uses(String simpleName) {
        return Pattern.compile("\\b" + simpleName + "\\b").matcher(body).find();
    }
}
