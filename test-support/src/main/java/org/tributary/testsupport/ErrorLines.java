package org.tributary.testsupport;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The errors in what a process has printed: lines of the JDK's log at level WARNING and above, reports of leaked
 * buffers, uncaught exceptions, reports of sanitizers and valgrind, and the last words of a C library or JVM that
 * aborts. How a job ends is no error here, nor that a rank ends with the exception that says so: exit codes tell that.
 * Java writes the name of that exception apart from what stands before it, and a launcher that ends all ranks may kill
 * this one between the two: a line that ends there is the beginning of such an exception.
 */
final class ErrorLines {
    /** Lines after the first that belong to it. */
    private static final int CONTEXT = 12;
    private static final Pattern ERROR = Pattern.compile("(^|\\s)(WARNING|SEVERE): |LEAK: "
        + "|Exception in thread \"(?!main\" (org\\.tributary\\.client\\.error\\.|$))"
        + "|tributary server: .* died of |AddressSanitizer|ThreadSanitizer|LeakSanitizer|UndefinedBehaviorSanitizer"
        + "|: runtime error: |\\*\\*\\* |A fatal error has been detected by the Java Runtime|Assertion .* failed"
        + "|==\\d+== (Invalid (read|write)|.*uninitialised)|(Segmentation fault|Bus error)");

    private ErrorLines() {
    }

    /** Each error with the lines that follow it. */
    static List<String> of(String output) {
        List<String> lines = output.lines().toList();
        List<String> errors = new ArrayList<>();
        int next = 0;
        for (int at = 0; at < lines.size(); at++) {
            if (at >= next && ERROR.matcher(lines.get(at)).find()) {
                next = at + 1;
                while (next < Math.min(lines.size(), at + CONTEXT) && !ERROR.matcher(lines.get(next)).find()) {
                    next++;
                }
                errors.add(String.join("\n", lines.subList(at, next)));
            }
        }
        return errors;
    }
}
