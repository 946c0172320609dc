package org.tributary.config;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The text of a layout: {@code 3,2,2}, {@code cyclic:2*4}, {@code cyclic(2):2*4}, {@code map:2*0,1}. */
final class LayoutText {
    private static final String FORMS = "[nodes*]ranks,..., cyclic:[nodes*]ranks,..., cyclic(n):[nodes*]ranks,..."
        + " or map:[ranks*]node,...";
    private static final Pattern CYCLIC = Pattern.compile("cyclic\\s*(?:\\(([^)]*)\\)\\s*)?");
    /** As Slurm writes it in SLURM_TASKS_PER_NODE. */
    private static final Pattern REPEATED = Pattern.compile("(.*)\\(\\s*x(.*)\\)\\s*");
    private static final int MOST_IN_MESSAGES = 200;

    private final String text;
    private final String items;

    private LayoutText(String text, String items) {
        this.text = text;
        this.items = items;
    }

    static Placement parse(String text) {
        int colon = text.indexOf(':');
        LayoutText layout = new LayoutText(text, text.substring(colon + 1));
        String form = text.substring(0, Math.max(0, colon)).strip();
        Matcher cyclic = CYCLIC.matcher(form);
        try {
            if (colon < 0) {
                return DealtRanks.block(layout.counts());
            } else if (form.equals("map")) {
                return layout.listed();
            } else if (cyclic.matches()) {
                return DealtRanks.of(layout.counts(), cyclic.group(1) == null ? 1 : layout.chunk(cyclic.group(1)));
            }
            throw new ConfigException("it begins with '" + form + ":', where it is to be " + FORMS);
        } catch (ConfigException e) {
            throw new ConfigException("layout '" + shortened(text) + "': " + e.getMessage());
        }
    }

    /** A layout as a message has it: that of a large job can be long. */
    static String shortened(String text) {
        return text.length() <= MOST_IN_MESSAGES ? text : text.substring(0, MOST_IN_MESSAGES) + "...";
    }

    private int chunk(String digits) {
        int chunk = number(digits);
        if (chunk < 1) {
            throw new ConfigException("a node takes at least one rank at a time, not " + chunk);
        }
        return chunk;
    }

    private NodeCounts counts() {
        NodeCounts.Builder counts = new NodeCounts.Builder();
        for (String item : items.split(",", -1)) {
            Matcher repeated = REPEATED.matcher(item);
            int star = item.indexOf('*');
            if (repeated.matches()) {
                counts.add(number(repeated.group(2)), number(repeated.group(1)));
            } else {
                counts.add(star < 0 ? 1 : number(item.substring(0, star)), number(item.substring(star + 1)));
            }
        }
        return counts.build();
    }

    private Placement listed() {
        ListedRanks.Builder ranks = new ListedRanks.Builder();
        for (String item : items.split(",", -1)) {
            int star = item.indexOf('*');
            ranks.add(star < 0 ? 1 : number(item.substring(0, star)), number(item.substring(star + 1)));
        }
        return ranks.build();
    }

    private int number(String digits) {
        try {
            return Integer.parseInt(digits.strip());
        } catch (NumberFormatException e) {
            throw new ConfigException("'" + shortened(digits) + "' is not a number, where the layout is to be "
                + FORMS);
        }
    }
}
